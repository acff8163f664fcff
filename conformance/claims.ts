import { type AnySignalId } from '../src/pipeline/profiles/sglang';

/** The release from which a signal is on the wire; earlier recorded releases must not have it. */
export const SINCE: Partial<Record<AnySignalId, string>> = {
  'prefill.entered': '0.5.4',
  'prefill.bootstrapped': '0.5.4',
  'prefill.forwarded': '0.5.4',
  'prefill.transferred': '0.5.4',
  'prefill.chunked': '0.5.10',
  'decode.received': '0.5.4',
  'decode.bootstrapped': '0.5.4',
  'decode.transferred': '0.5.4',
  'decode.scheduled': '0.5.4',
  scheduled: '0.5.4',
  'kv.transfers': '0.5.10',
  'kv.megabytes': '0.5.10',
  'bootstrap.failed': '0.4.6.post5',
  'transfer.failed': '0.4.6.post5',
  'tokens.decode': '0.5.7',
  'tokens.prefill': '0.5.7',
  'tokens.cached': '0.5.7',
  'passes.decode': '0.5.7',
  'passes.prefill': '0.5.10',
  heartbeat: '0.5.20',
  'requests.retracted': '0.5.7',
  'requests.finished': '0.4.6.post5',
  'requests.aborted': '0.5.2',
  'tokens.first': '0.4.6.post5',
  'tokens.streamed': '0.4.6.post5',
  'seconds.streamed': '0.4.6.post5',
  'http.requests': '0.5.7',
  'http.all': '0.5.7',
  'http.responses': '0.5.7',
  'checks.failed': '0.5.7',
  'http.active': '0.5.9',
  'gauge.running': '0.4.6.post5',
  'gauge.waiting': '0.4.6.post5',
  'gauge.bootstrap': '0.4.6.post5',
  'gauge.inflight': '0.4.6.post5',
  'gauge.prealloc': '0.4.6.post5',
  'gauge.transfer': '0.4.6.post5',
  'gauge.usage': '0.4.6.post5',
  'gauge.throughput': '0.4.6.post5',
  'gauge.tokens': '0.4.6.post5',
  'gauge.retracted': '0.5.2',
};

/** Signals that a release stopped writing. */
export const LAST: Partial<Record<AnySignalId, string>> = { 'prefill.entered': '0.5.9' };

/** Router signals that a recorded package does not have in PD mode. */
export const ROUTER_ABSENT: Readonly<Record<string, readonly AnySignalId[]>> = {
  'sglang-router 0.2.4': ['router.connections', 'router.aged'],
  // In the recorded run its worker failed, which it counts by worker only.
  'sglang-router 0.3.2': ['router.errors'],
};
