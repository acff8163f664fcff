import { NEVER_UNHEALTHY } from '../simulator/config';
import { type Scenario } from '../simulator/scenario';
import { evaluate, prepare, type PipelineEvaluation, type VerdictKind } from '../src/pipeline';
import { isAlarm, said } from './play';
import { instants, keepSamples, recordPlay, scenarioNamed, T0_MS } from './recording';

/** The range begins this long after the fault: nothing in it shows how it was before. */
const INTO_THE_FAULT_S = 180;
const EVERY_MS = 5_000;
/** Three scrapes, and the windows of rules that need a minute. */
const KNOWN_AFTER_S = 90;

interface Row {
  readonly scenario: Scenario;
  readonly why: string;
  /** Named so, or with this among the alternatives. */
  readonly kind: VerdictKind;
  /** Seconds after T0. */
  readonly onsetS?: number;
  /** Where requests stand and nothing is delivered, two scrapes must not say that all is well. */
  readonly isSilent?: true;
}

const at = (name: string): Scenario => scenarioNamed(name);
/** A router that does not act on health checks sends on, so that demand stays. */
const askedOn = (name: string): Scenario => ({ ...at(name), config: { failuresToUnhealthy: NEVER_UNHEALTHY } });

const ROWS: readonly Row[] = [
  { scenario: at('founding'), why: 'a dead receiver', kind: 'transfer-stalled', isSilent: true },
  { scenario: at('founding-blocked-loop'), why: 'a blocked loop', kind: 'decode-wedged', onsetS: 33, isSilent: true },
  {
    scenario: at('prefill-wedged'),
    why: 'the router spares the wedged prefill',
    kind: 'prefill-stalled',
    isSilent: true,
  },
  { scenario: askedOn('prefill-wedged'), why: 'a wedged prefill is asked on', kind: 'prefill-stalled', isSilent: true },
  { scenario: at('bootstrap-probes-only'), why: 'handshakes are lost', kind: 'handshake-stalled', isSilent: true },
  {
    scenario: at('prealloc-pinned'),
    why: 'the head of the queue is pinned',
    kind: 'decode-admission-blocked',
    isSilent: true,
  },
  { scenario: at('decode-kv-exhausted'), why: 'no KV room', kind: 'decode-admission-blocked', onsetS: 157 },
  {
    scenario: at('decode-full-of-aborted'),
    why: 'slots of the aborted',
    kind: 'aborts-not-absorbed',
    onsetS: 60,
    isSilent: true,
  },
  { scenario: at('pp-divergence'), why: 'a rank saw no batch', kind: 'rank-divergence', isSilent: true },
  { scenario: at('zombies-alone'), why: 'tokens for nobody', kind: 'zombie-requests' },
  { scenario: at('decode-slow'), why: 'a second for each token', kind: 'decode-slow' },
  { scenario: at('slow-transfer'), why: 'a slow link', kind: 'transfer-slow' },
  { scenario: at('decode-crash'), why: 'decode is gone', kind: 'engine-down' },
  { scenario: at('prefill-crash'), why: 'prefill is gone', kind: 'engine-down' },
  { scenario: at('prefill-breaker'), why: 'the prefill leg is kept back', kind: 'router-fault' },
  {
    scenario: at('frontend-stuck-probes-pass'),
    why: 'lost before the scheduler',
    kind: 'frontend-stuck',
    onsetS: 15,
    isSilent: true,
  },
];

describe.each(ROWS.map((row) => [row.scenario.name, row.why, row] as const))(
  '%s, since before the range: %s',
  (_, __, row) => {
    const startMs = T0_MS + ((row.onsetS ?? 0) + INTO_THE_FAULT_S) * 1000;
    const { series } = recordPlay({ scenario: row.scenario, seed: 1, size: { prefill: 1, decode: 1 }, minutes: 16 });
    const fleet = prepare(keepSamples(series, (atMs) => atMs >= startMs));
    const judged = (fromS: number, toS: number): PipelineEvaluation[] =>
      instants(EVERY_MS, startMs + fromS * 1000, startMs + toS * 1000).flatMap((atMs) => evaluate(fleet, atMs));

    it('is named, or is among what it could be', () => {
      const names = judged(KNOWN_AFTER_S, KNOWN_AFTER_S + 5).map(({ verdict }) => [
        verdict.kind,
        ...verdict.alternatives,
      ]);
      expect(names[0]).toContain(row.kind);
    });

    it('nothing else is claimed before', () => {
      const wrong = judged(0, KNOWN_AFTER_S).filter(
        ({ verdict }) => isAlarm(verdict) && ![verdict.kind, ...verdict.alternatives].includes(row.kind)
      );
      expect(wrong.map(said)).toEqual([]);
    });

    if (row.isSilent) {
      it('two scrapes are too few to call it healthy', () => {
        const kinds = judged(5, 10).map(({ verdict }) => verdict.kind);
        expect(kinds.filter((kind) => kind === 'healthy' || kind === 'idle')).toEqual([]);
      });
    }
  }
);
