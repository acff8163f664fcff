import type { Finding, PipelineEvaluation, StageReading, Verdict } from '../../src/pipeline';

/** 20:38:03 on the evening of the record, and the instant that is judged. */
export const SINCE_MS = Date.UTC(2026, 8, 14, 20, 38, 3);
export const AT_MS = Date.UTC(2026, 8, 14, 20, 48, 45);

export const HEALTHY: Verdict = {
  kind: 'healthy',
  severity: 'none',
  headline: 'Flowing: 3.4 requests/s delivered',
  detail: 'Every stage hands on what it gets.',
  completeness: 1,
  evidence: [],
  alternatives: [],
  knownDefects: [],
};

export const UNKNOWN: Verdict = {
  ...HEALTHY,
  kind: 'unknown',
  severity: 'info',
  headline: 'No decode engine is seen',
  detail: 'Scrape the decode engines too.',
  completeness: 0,
};

export const STALLED: Verdict = {
  kind: 'transfer-stalled',
  severity: 'critical',
  stage: 'decode.transfer',
  engine: 'decode-0:30002',
  sinceMs: SINCE_MS,
  headline: 'KV transfer stalled for 10 m 42 s',
  detail: 'Prefill hands over, decode has concluded no transfer since 20:38:03, right after 16 aborts.',
  completeness: 0.8,
  evidence: [
    {
      text: 'No departure since 20:38:03.',
      signal: 'sglang:per_stage_req_latency_seconds_count{stage="decode_transferred"}',
      engine: 'decode-0:30002',
      fromMs: SINCE_MS,
      toMs: AT_MS,
    },
    { text: '28 requests computed.', signal: 'sglang:queue_time_seconds_count', engine: 'prefill-0:30000' },
  ],
  alternatives: ['decode-wedged'],
  knownDefects: [
    { issue: 'sgl-project/sglang#31144', text: 'decode blocks on a prefill that has gone', fixedIn: '0.5.17' },
    { issue: 'sgl-project/sglang#31800', text: 'a lost completion leaks its slot' },
  ],
  trigger: { kind: 'abort-burst', atMs: SINCE_MS, size: 16 },
  remedy: 'Restart decode-0:30002.',
  recoverySign: 'decode-0:30002 hands on a request after 20:38:03.',
};

export const STALE: Finding = {
  kind: 'stale-gauge',
  severity: 'info',
  stage: 'decode.running',
  engine: 'decode-0:30002',
  headline: 'decode running gauge of decode-0:30002 reads 2, the counters say 0.',
};

const READING: StageReading = {
  stage: 'decode.transfer',
  engine: 'decode-0:30002',
  state: 'stalled',
  reason: 'Nothing left.',
  depth: { source: 'balance', value: 3 },
  arrivalsPerSec: 0.1,
  departuresPerSec: 0,
  parkedSinceMs: SINCE_MS,
  lastProgressMs: SINCE_MS,
  windowMs: 15_000,
  completeness: 1,
};
const BLIND: StageReading = {
  ...READING,
  engine: 'decode-1:30002',
  state: 'unknown',
  depth: { source: 'none' },
  arrivalsPerSec: undefined,
  departuresPerSec: NaN,
  parkedSinceMs: undefined,
  lastProgressMs: undefined,
};

/** One pipeline, judged as `verdict` says. */
export function evaluation(verdict: Verdict, more: Partial<PipelineEvaluation> = {}): PipelineEvaluation {
  return {
    id: 'deepseek-v4-flash',
    atMs: AT_MS,
    dataAsOfMs: AT_MS - 3000,
    verdict,
    findings: [],
    hypotheses: [
      { kind: 'zombie-requests', status: 'refuted', name: 'Zombie requests', text: 'no decode token', evidence: [] },
      { kind: 'router-fault', status: 'undecided', name: 'Router fault', text: 'no request reached', evidence: [] },
      {
        kind: 'transfer-stalled',
        status: 'supported',
        name: 'KV transfer stalled',
        text: 'none concluded',
        evidence: [{ text: 'No departure.', signal: 'sglang:num_requests_total' }],
      },
      { kind: 'stale-gauge', status: 'supported', name: 'Stale gauge', text: 'running reads 2', evidence: [] },
    ],
    stages: [{ ...READING, engine: '', part: 'culprit', engines: [READING, BLIND] }],
    engines: [],
    contradictions: [],
    metrics: {
      seen: ['sglang:num_requests_total'],
      missing: ['sglang:token_usage'],
      notInRelease: [{ family: 'sglang:http_requests_active', since: '0.5.8' }],
    },
    ...more,
  };
}
