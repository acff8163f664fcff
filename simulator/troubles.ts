import { type Request } from './request';

/** What is wrong inside one engine process. A new process starts without any of it. */
export class Troubles {
  /** Requests and aborts of clients (or of everybody, health probes included) never reach the scheduler. */
  lostLink: 'none' | 'clients' | 'everybody' = 'none';
  /** Aborts are counted as sent, but never reach the scheduler. */
  losesAborts = false;
  /** The handshake of a request that arrives now never completes. */
  losesHandshakes = false;
  /** So many of the next transfers leak: the KV is there, the signal that says so is lost. */
  transfersToLeak = 0;
  /** Aborted requests that block the head of the prealloc queue, because nobody polls them. */
  readonly pinned = new Set<Request>();
  /** How many times longer a decode step takes. */
  stepFactor = 1;
  /** Share of the KV link that is left; transfers then queue for it. */
  linkShare = 1;
  /** Called when the next forward pass of prefill begins, which then never returns. */
  onStuckPass?: () => void;
  /** Called once, at the end of the pass that is under way. */
  afterPass?: () => void;
  /** Pipeline ranks from here on see none of what the ranks before them do. */
  ppReach = Infinity;
  /** Called when the scheduler is about to write to a peer that is gone, which blocks it for good. */
  onLostPeer?: () => void;

  /** Short names of what is wrong now, for people to read. */
  names(): readonly string[] {
    return [
      ...(this.lostLink === 'none' ? [] : [`link to the scheduler lost for ${this.lostLink}`]),
      ...(this.losesAborts ? ['aborts get lost'] : []),
      ...(this.losesHandshakes ? ['handshakes get lost'] : []),
      ...(this.transfersToLeak > 0 ? ['transfers leak'] : []),
      ...(this.pinned.size > 0 ? ['prealloc head is pinned'] : []),
      ...(this.stepFactor === 1 ? [] : [`steps take ${this.stepFactor} times as long`]),
      ...(this.linkShare === 1 ? [] : [`link at ${this.linkShare * 100} %`]),
      ...(this.onStuckPass ? ['compute is stuck'] : []),
      ...(this.ppReach === Infinity ? [] : [`pipeline ranks diverge from ${this.ppReach} on`]),
    ];
  }
}
