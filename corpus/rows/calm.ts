import type { Calm } from './row';

/** Nothing is wrong in these, whatever it looks like: no alarm at any scrape. First what requests do. */
export const CALM_TRAFFIC: readonly Calm[] = [
  { scenario: 'healthy', why: 'steady traffic, and single aborts that are absorbed' },
  { scenario: 'idle', why: 'a quiet night' },
  { scenario: 'bursts-and-pauses', why: 'everybody at once, then nobody' },
  { scenario: 'half-cancelled', why: 'answers come at their end, and half of the clients do not wait for it' },
  { scenario: 'trickle', why: 'too few steps for a report: gauges skip whole requests' },
  { scenario: 'long-prefill', why: 'a prompt is computed for a minute, chunk by chunk' },
  { scenario: 'probes-only', why: 'health probes are no traffic' },
  { scenario: 'inflight-artefact', why: 'prefill reports its own batch as inflight' },
  { scenario: 'kv-nearly-full', why: 'somebody waits for room most of the time, never for long' },
  { scenario: 'retraction-recovers', why: 'requests are moved out of the KV and come back' },
];

/** What people and their machines do to a deployment that works. */
export const CALM_OPERATIONS: readonly Calm[] = [
  { scenario: 'scrape-gap', why: 'Prometheus is away, then decode cannot be scraped; requests are served' },
  { scenario: 'rolling-restart-decode', why: 'each decode engine is drained before it is replaced' },
  { scenario: 'rolling-restart-prefill', why: 'each prefill engine is drained before it is replaced' },
  { scenario: 'counter-reset', why: 'a process is replaced between two scrapes, without a request on it' },
  { scenario: 'clock-step', why: 'only the clock of Prometheus jumps' },
  { scenario: 'idle-dp-ranks', why: 'ranks without work keep the gauges of their busy time' },
  { scenario: 'absorbed-aborts', why: 'the cancellation of the founding story, absorbed at once' },
  { scenario: 'scale-out-in', why: 'targets appear, and are drained before they go' },
];
