import { bothSides, clock, decodeFlow, endOf, engine, prefillFlow, until, type PerScrape } from '../testing/traces';
import { evaluate, prepare, type PipelineEvaluation } from '.';

/** Three decode engines get ten requests per scrape each. From scrape 20 on the first concludes no transfer any more. */
const TIME = clock(10);
const stops = until(20, 10);

interface Others {
  /** Whom the second one admits. */
  readonly admitted: PerScrape;
  /** What prefill hands over from then on, per scrape. */
  readonly handedOver: number;
}

function judged({ admitted, handedOver }: Others): PipelineEvaluation | undefined {
  const served: PerScrape = (i) => (i <= 20 ? 30 : handedOver);
  const computed: PerScrape = (i) => (i <= 20 ? 30 : handedOver + 10);
  const series = [
    ...bothSides(
      TIME,
      {
        isStamped: true,
        counters: {
          ...prefillFlow(served),
          httpRequests: 30,
          bootstrapped: computed,
          scheduled: computed,
          forwarded: computed,
        },
      },
      { isStamped: true, counters: { ...decodeFlow(stops), httpRequests: 10, received: 10, admitted: 10 } }
    ),
    ...engine(TIME, {
      id: 'd:2',
      role: 'decode',
      isStamped: true,
      counters: { ...decodeFlow(admitted), httpRequests: 10, received: 10 },
    }),
    ...engine(TIME, {
      id: 'd:3',
      role: 'decode',
      isStamped: true,
      counters: { ...decodeFlow((i) => (i <= 20 ? 10 : Math.min(10, handedOver))), httpRequests: 10, received: 10 },
    }),
  ];
  return evaluate(prepare(series), endOf(TIME))[0];
}

const further = (e: PipelineEvaluation | undefined): unknown =>
  e?.findings.filter((f) => f.severity === 'warning').map((f) => [f.kind, f.stage, f.engine]);
const stateOf = (e: PipelineEvaluation | undefined, stage: string, id: string): unknown =>
  e?.stages.find((s) => s.stage === stage)?.engines.find((r) => r.engine === id)?.state;

describe('a second engine that stalls', () => {
  it('at another stage, while the third is served: by itself', () => {
    const e = judged({ admitted: stops, handedOver: 10 });
    expect(e?.verdict).toMatchObject({ kind: 'transfer-stalled', engine: 'd:1' });
    expect(further(e)).toEqual([['handshake-stalled', 'decode.prealloc', 'd:2']]);
    expect(stateOf(e, 'decode.prealloc', 'd:2')).toBe('stalled');
  });

  it('when prefill hands nothing on any more: it may wait for the first', () => {
    const e = judged({ admitted: stops, handedOver: 0 });
    expect(e?.verdict).toMatchObject({ kind: 'transfer-stalled', engine: 'd:1' });
    expect(further(e)).toEqual([]);
    expect(stateOf(e, 'decode.prealloc', 'd:2')).toBe('blocked');
  });

  it('what waits at the door of the first does so for its transfers', () => {
    expect(further(judged({ admitted: 10, handedOver: 20 }))).toEqual([]);
  });
});
