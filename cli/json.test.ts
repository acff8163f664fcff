import { renderJson } from './json';
import { AT_MS, evaluation, HEALTHY, SINCE_MS, STALE, STALLED } from './testing/evaluations';

const read = (...args: Parameters<typeof renderJson>): unknown => JSON.parse(renderJson(...args));

describe('renderJson', () => {
  it('has no pipelines where none were found', () => {
    expect(read(AT_MS, [])).toEqual({ at: '2026-09-14T20:48:45.000Z', pipelines: [] });
  });

  it('tells a fault with everything that is known of it', () => {
    const text = 'KV transfer: transfer stalled';
    const event = { kind: 'stall-start', atMs: SINCE_MS + 250, stage: 'decode.transfer', text } as const;
    const SINCE = '2026-09-14T20:38:03.000Z';
    expect(read(AT_MS, [{ evaluation: evaluation(STALLED, { findings: [STALE] }), events: [event] }])).toEqual({
      at: '2026-09-14T20:48:45.000Z',
      pipelines: [
        {
          id: 'deepseek-v4-flash',
          verdict: {
            kind: 'transfer-stalled',
            stage: 'decode.transfer',
            engine: 'decode-0:30002',
            since: SINCE,
            complete: 0.8,
            headline: 'KV transfer stalled for 10 m 42 s',
            alternatives: ['decode-wedged'],
            trigger: { kind: 'abort-burst', at: SINCE, size: 16 },
            remedy: 'Restart decode-0:30002.',
            recoverySign: 'decode-0:30002 hands on a request after 20:38:03.',
            knownDefects: [
              {
                issue: 'sgl-project/sglang#31144',
                text: 'decode blocks on a prefill that has gone',
                fixedIn: '0.5.17',
              },
              { issue: 'sgl-project/sglang#31800', text: 'a lost completion leaks its slot', fixedIn: null },
            ],
          },
          findings: [
            {
              kind: 'stale-gauge',
              stage: 'decode.running',
              engine: 'decode-0:30002',
              since: null,
              headline: 'decode running gauge of decode-0:30002 reads 2, the counters say 0.',
            },
          ],
          hypotheses: [
            { kind: 'zombie-requests', status: 'refuted', evidence: [] },
            { kind: 'router-fault', status: 'undecided', evidence: [] },
            {
              kind: 'transfer-stalled',
              status: 'supported',
              evidence: [
                { text: 'No departure.', signal: 'sglang:num_requests_total', engine: null, from: null, to: null },
              ],
            },
            { kind: 'stale-gauge', status: 'supported', evidence: [] },
          ],
          stages: [
            {
              stage: 'decode.transfer',
              engine: 'decode-0:30002',
              state: 'stalled',
              depth: 3,
              depthSource: 'balance',
              arrivalsPerSec: 0.1,
              departuresPerSec: 0,
              parkedSince: SINCE,
              lastProgress: SINCE,
            },
            {
              stage: 'decode.transfer',
              engine: 'decode-1:30002',
              state: 'unknown',
              depth: null,
              depthSource: 'none',
              arrivalsPerSec: null,
              departuresPerSec: null,
              parkedSince: null,
              lastProgress: null,
            },
          ],
          events: [
            {
              kind: 'stall-start',
              at: '2026-09-14T20:38:03.250Z',
              engine: null,
              stage: 'decode.transfer',
              size: null,
              text,
            },
          ],
          metrics: {
            seen: ['sglang:num_requests_total'],
            missing: ['sglang:token_usage'],
            notInRelease: [{ family: 'sglang:http_requests_active', since: '0.5.8' }],
          },
        },
      ],
    });
  });

  it('says null for what a calm verdict does not have', () => {
    expect(read(AT_MS, [{ evaluation: evaluation(HEALTHY), events: [] }])).toMatchObject({
      pipelines: [
        { verdict: { stage: null, engine: null, since: null, trigger: null, remedy: null, recoverySign: null } },
      ],
    });
  });

  it('keeps hostile names, but in a form that no terminal obeys', () => {
    const id = 'a\u001b[2J\u009b2J\u202e\u2028b';
    const text = renderJson(AT_MS, [{ evaluation: evaluation(HEALTHY, { id }), events: [] }]);
    expect(JSON.parse(text)).toMatchObject({ pipelines: [{ id }] });
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  });
});
