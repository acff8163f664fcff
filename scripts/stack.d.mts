export interface StackWish {
  scenario?: string;
  port?: number;
  /** Show this Prometheus, known to answer; no simulator and no private Prometheus are started. */
  prometheusUrl?: string;
  say?: (line: string) => void;
}

export interface Stack {
  /** Address of the embedded host. */
  url: string;
  prometheusUrl: string;
  simulatorUrl: string | undefined;
  /** Settles when one of the processes has died by itself. */
  death: Promise<Error>;
  stop: () => Promise<void>;
}

export function startStack(wish: StackWish): Promise<Stack>;
