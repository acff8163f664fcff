import type { PipelineEvaluation } from '../src/pipeline';
import { AT_MS, evaluation, HEALTHY, SINCE_MS, STALE, STALLED, UNKNOWN } from './testing/evaluations';
import { renderText, type TextInput } from './text';
import { clockFor } from './zone';

function text(evaluations: readonly PipelineEvaluation[], more: Partial<TextInput> = {}): string {
  const range = { fromMs: AT_MS - 1_800_000, toMs: AT_MS, stepMs: 5000 };
  const clock = clockFor('Europe/Berlin', AT_MS);
  return renderText({ evaluations, problems: [], range, clock, colours: false, ...more });
}

describe('renderText', () => {
  it('tells a fault from headline to next step', () => {
    const fault = evaluation(STALLED, { findings: [STALE], contradictions: ['health ok ≠ no progress 10 m 42 s'] });
    expect(text([fault]).split('\n')).toEqual([
      'As of 2026-09-14 22:48:45, Europe/Berlin (UTC+02:00)',
      '',
      'CRITICAL        KV transfer stalled for 10 m 42 s',
      'Pipeline        deepseek-v4-flash',
      'Where           KV transfer of decode-0:30002, since 22:38:03',
      'Why             Prefill hands over, decode has concluded no transfer since 20:38:03, right after 16',
      '                aborts.',
      'Contradiction   health ok ≠ no progress 10 m 42 s',
      'Evidence        No departure since 20:38:03.',
      '                  sglang:per_stage_req_latency_seconds_count{stage="decode_transferred"}',
      '                28 requests computed.',
      '                  sglang:queue_time_seconds_count on prefill-0:30000',
      'Trigger         Abort burst: 16 requests aborted just after 22:38:03.',
      'Could also be   decode wedged',
      'Ruled out       Zombie requests      no decode token',
      'Not decided     Router fault         no request reached',
      'Also            decode running gauge of decode-0:30002 reads 2, the counters say 0.',
      'Known defects   Matches sgl-project/sglang#31144 (decode blocks on a prefill that has gone, fixed in',
      '                0.5.17).',
      '                Matches sgl-project/sglang#31800 (a lost completion leaks its slot).',
      'Next step       Restart decode-0:30002.',
      'Recovered when  decode-0:30002 hands on a request after 20:38:03.',
      'Data            Newest sample 22:48:42, 3 s old. 80 % of the samples that this verdict needs are',
      '                there. 1 of 2 metric families seen.',
      'Not seen        sglang:token_usage',
      'Not in release  sglang:http_requests_active (0.5.8)',
      '',
    ]);
  });

  it('is short where all is well', () => {
    const calm = evaluation(HEALTHY, { hypotheses: [], metrics: { seen: ['a'], missing: [], notInRelease: [] } });
    expect(text([calm]).split('\n').slice(2)).toEqual([
      'OK              Flowing: 3.4 requests/s delivered',
      'Pipeline        deepseek-v4-flash',
      'Why             Every stage hands on what it gets.',
      'Data            Newest sample 22:48:42, 3 s old. 1 of 1 metric families seen.',
      '',
    ]);
  });

  it('counts several pipelines before it tells each', () => {
    const all = [evaluation(STALLED), evaluation(UNKNOWN, { id: 'b' }), evaluation(HEALTHY, { id: 'c' })];
    expect(text(all)).toContain('\n3 pipelines: 1 CRITICAL, 1 UNKNOWN, 1 OK\n\nCRITICAL ');
  });

  it('names a supported suspicion that nothing else has named', () => {
    expect(text([evaluation(STALLED)])).toContain('\nAlso            Stale gauge: running reads 2.\n');
  });

  it.each([
    [
      'alike are told once',
      [
        { from: '0.5.12', before: '0.5.13' },
        { from: '0.5.12', before: '0.5.13' },
      ],
      '0.5.12 or later, before 0.5.13',
    ],
    [
      'that differ are counted',
      [{ from: '0.5.20' }, { before: '0.5.2' }, { from: '0.5.20' }],
      '2 × 0.5.20 or later; 1 × before 0.5.2',
    ],
  ])('tells the releases of engines: those %s', (_sentence, ranges, told) => {
    const engines = ranges.map((releases, i) => ({ id: `e${i}`, role: 'decode', state: 'live', releases }) as const);
    expect(text([evaluation(STALLED, { engines })])).toContain(`\nSGLang          ${told}\n`);
  });

  it('admits that a fault may be older than the range', () => {
    const range = { fromMs: SINCE_MS + 2000, toMs: AT_MS, stepMs: 5000 };
    expect(text([evaluation(STALLED)], { range })).toContain('The data begins at 22:38:05 and the fault may be older');
  });

  it('says what to do where there is no pipeline', () => {
    const problems = [
      { kind: 'no-series', text: 'No SGLang series.', nextStep: 'Start with --enable-metrics.' },
    ] as const;
    expect(text([], { problems }).split('\n').slice(2, 4)).toEqual([
      'UNKNOWN         No SGLang series.',
      'Next step       Start with --enable-metrics.',
    ]);
    expect(text([])).toContain('UNKNOWN         No engine had been seen by this instant.');
  });

  it('rules nothing out where nothing can be known, and says how to know more', () => {
    const problems = [{ kind: 'unknown-role', text: 'No role.', nextStep: 'Set --role-label.' }] as const;
    expect(
      text([evaluation(UNKNOWN)], { problems })
        .split('\n')
        .slice(2, 8)
    ).toEqual([
      'UNKNOWN         No decode engine is seen',
      'Pipeline        deepseek-v4-flash',
      'Why             Scrape the decode engines too.',
      'Also            KV transfer stalled: none concluded.',
      '                Stale gauge: running reads 2.',
      'Next step       Set --role-label.',
    ]);
  });

  it('colours the first word only, and only when asked', () => {
    expect(text([evaluation(STALLED)], { colours: true })).toContain(
      '\n\u001b[1;31mCRITICAL\u001b[0m        KV transfer stalled for 10 m 42 s\n'
    );
    expect(text([evaluation(STALLED)])).not.toContain('\u001b');
  });

  it('stays within 100 columns and free of control characters, whatever the labels hold', () => {
    const name = `\u001b]0;x\u0007\n\rOK forged\u202e ${'y'.repeat(5000)}`;
    const hostile = evaluation(
      { ...STALLED, engine: name, headline: name, remedy: name },
      {
        id: name,
        contradictions: [name],
        hypotheses: [{ kind: 'kv-exhausted', status: 'refuted', name, text: name, evidence: [] }],
        metrics: { seen: [], missing: [name], notInRelease: [] },
      }
    );
    const shown = text([hostile], { clock: clockFor('UTC', AT_MS) });
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|\nOK/);
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});
