/** What was done to the deployment, as opposed to what its metrics say. */
export type TruthEvent =
  | { readonly kind: 'abort-cascade'; readonly atMs: number; readonly count: number }
  | { readonly kind: 'client-abort'; readonly atMs: number; readonly requestId: number; readonly stage: string }
  | { readonly kind: 'client-timeout'; readonly atMs: number; readonly requestId: number; readonly stage: string }
  | { readonly kind: 'client-try'; readonly atMs: number; readonly requestId: number; readonly promptTokens: number }
  | { readonly kind: 'receiver-dead' | 'loop-blocked'; readonly atMs: number; readonly engine: string }
  | { readonly kind: 'restart'; readonly atMs: number; readonly engine: string; readonly downMs: number }
  | { readonly kind: 'crash' | 'start' | 'drain' | 'added' | 'removed'; readonly atMs: number; readonly engine: string }
  /** Something is wrong from here on, or right again, in the words of `what`. */
  | { readonly kind: 'fault' | 'cured'; readonly atMs: number; readonly engine: string; readonly what: string }
  | { readonly kind: 'clock-step'; readonly atMs: number; readonly stepMs: number }
  | { readonly kind: 'note'; readonly atMs: number; readonly what: string }
  | { readonly kind: 'scrape-stopped' | 'scrape-resumed'; readonly atMs: number; readonly engine: string }
  | { readonly kind: 'prometheus-gap'; readonly atMs: number; readonly untilMs: number };

/** The diary of a run, in order of time. */
export class Truth {
  private readonly written: TruthEvent[] = [];

  note(event: TruthEvent): void {
    this.written.push(event);
  }

  get events(): readonly TruthEvent[] {
    return [...this.written].sort((a, b) => a.atMs - b.atMs);
  }
}
