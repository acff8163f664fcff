export interface Chromium {
  executablePath: string;
  /** What the browser needs on top of the environment. */
  env: Record<string, string>;
}

export function findChromium(say: (line: string) => void): Promise<Chromium>;
