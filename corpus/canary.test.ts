import { evaluate, prepare, timeline, type Fleet, type PipelineEvaluation, type PipelineEvent } from '../src/pipeline';
import { END_MS, instants, recordPlay, scenarioNamed, T0_MS } from './recording';

/**
 * A canary posts through the simulated router every 30 s and gives up after 29.5 s. Its requests are counted back from
 * the end of the recording, so the first one after T0 = 20:38:03 is sent at 20:38:15.
 */
const EVERY_MS = 5_000;
const SIZES = [
  { prefill: 1, decode: 1 },
  { prefill: 2, decode: 4 },
] as const;
const at = (time: string): number => Date.parse(`2026-09-14T${time}Z`);

interface Watched {
  readonly fleet: Fleet;
  readonly judged: readonly PipelineEvaluation[];
  readonly events: readonly PipelineEvent[];
}

function watch(scenario: string, size: (typeof SIZES)[number]): Watched {
  const { series, startMs } = recordPlay({ scenario: scenarioNamed(scenario), seed: 1, size, hasCanary: true });
  const fleet = prepare(series);
  const judged = instants(EVERY_MS, startMs).flatMap((atMs) => evaluate(fleet, atMs));
  const { events } = timeline(fleet, fleet.pipelines[0]?.id ?? '', { fromMs: startMs, toMs: END_MS });
  return { fleet, judged, events: events.filter((e) => e.kind.startsWith('canary')) };
}

const alarms = ({ judged }: Watched): string[] =>
  judged
    .filter(({ verdict }) => verdict.severity === 'critical' || verdict.severity === 'warning')
    .map((e) => `${new Date(e.atMs).toISOString().slice(11, 19)} ${e.verdict.headline}`);

const said = (e: PipelineEvaluation | undefined): string => (e?.verdict.evidence ?? []).map((x) => x.text).join(' ');

describe('founding', () => {
  const watched = watch('founding', SIZES[0]);
  const judge = (time: string): PipelineEvaluation | undefined => watched.judged.find((e) => e.atMs === at(time));

  it('the canary fails from its first request after T0 on, and that is told once', () => {
    expect(watched.events).toMatchObject([
      { kind: 'canary-failed', atMs: at('20:38:15'), text: 'canary got no answer' },
    ]);
  });

  it('the stall is named before the canary has had the time to fail', () => {
    expect(judge('20:38:30')?.verdict).toMatchObject({ kind: 'transfer-stalled' });
    expect(said(judge('20:38:30'))).not.toContain('no answer');
  });

  it('then its failure is evidence, and contradicts the health checks', () => {
    const e = judge('20:42:00');
    expect(e?.verdict).toMatchObject({ kind: 'transfer-stalled', stage: 'decode.transfer' });
    expect(said(e)).toContain('The canary has had no answer since 20:38:15, after an answer to that of 20:37:45.');
    expect(e?.contradictions).toContain('health ok, yet the canary fails since 20:38:15');
  });
});

describe('what a canary makes of the rest', () => {
  it.each(['healthy', 'long-prefill', 'absorbed-aborts', 'retraction-recovers', 'scrape-gap'])(
    '%s: no alarm, whoever asks',
    (scenario) => {
      for (const size of SIZES) {
        expect(alarms(watch(scenario, size))).toEqual([]);
      }
    }
  );

  it('healthy: it is always answered, so nothing happens', () => {
    expect(watch('healthy', SIZES[0]).events).toEqual([]);
  });

  it('idle: the canary is a request, so the pipeline is healthy; nothing is wrong', () => {
    const { judged } = watch('idle', SIZES[0]);
    expect(new Set(judged.slice(20).map((e) => e.verdict.severity))).toEqual(new Set(['none', 'info']));
    expect(judged.at(-1)?.verdict.kind).toBe('healthy');
  });

  // One slot leaked at T0; the canary passes beside it, and nobody else asks from then on.
  it('decode-restart-recovers: it is answered again after the restart at 20:44:03', () => {
    const { events } = watch('decode-restart-recovers', SIZES[0]);
    expect(events.map((e) => [e.kind, e.atMs])).toEqual([
      ['canary-failed', at('20:38:15')],
      ['canary-succeeded', at('20:44:15')],
    ]);
    expect(events[1]?.size).toBe(at('20:44:15') - at('20:38:15'));
  });

  it('prefill-breaker: one side gets nothing, the canary fails, the router is named', () => {
    const { judged } = watch('prefill-breaker', SIZES[0]);
    const e = judged.find(({ atMs }) => atMs === T0_MS + 120_000 + ((END_MS - T0_MS) % EVERY_MS));
    expect(e?.verdict.kind).toBe('router-fault');
  });
});
