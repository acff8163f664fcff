import type { Evidence } from '../../simulator/versionProfile';
import type { StageId, VerdictKind } from '../../src/pipeline';

/**
 * What a scenario asks for, written from what it injects: its source, its diary, and where its requests really were.
 * Never from what the evaluator says. All instants are seconds after T0 = 20:38:03.
 */
export interface Expected {
  readonly kind: VerdictKind;
  /** As true as `kind`: what it looks like from elsewhere, or what it brings about. */
  readonly also: readonly VerdictKind[];
  readonly stage?: StageId | readonly StageId[];
  /** Where several engines are as good an answer, all of them. */
  readonly engine?: string | readonly string[];
  /** When harm begins. `first request`: when the broken engine is first asked for something, read from where requests were. */
  readonly onsetS: number | 'first request';
  /** Earliest and latest right answer to "since when", to one scrape and 40 decode steps. */
  readonly sinceS?: readonly [number, number];
  /** How many requests were aborted in the burst that began it; `some`: clients left, nobody counted them. */
  readonly trigger: number | 'some' | 'none' | 'either';
  /** Seconds that the rule waits beyond three scrapes (`docs/stall-rules.md`) and the fault needs to grow. */
  readonly extraS: number;
  readonly askedS: number;
  /**
   * `exactly`: with `kind`. `among others`: as `kind`, or as an alternative of another. `never`: the metrics cannot
   * show it, so nothing needs to be named; what is said must still be true.
   */
  readonly named: 'exactly' | 'among others' | 'never';
  /** When it is over: nothing needs to be named any more. */
  readonly overS?: number;
  /** From when on nothing alarms any more, where service comes back later than that. */
  readonly calmS?: number;
}

export type SizeName = '1P1D' | '4P8D';

/** Where something else is to be expected, and why. */
export interface But extends Partial<Expected> {
  readonly size?: SizeName;
  readonly evidence?: Evidence | readonly Evidence[];
  readonly everyS?: number;
  readonly why: string;
}

type Asked = 'kind' | 'onsetS' | 'askedS';

export interface Row extends Pick<Expected, Asked>, Partial<Omit<Expected, Asked>> {
  readonly scenario: string;
  readonly why: string;
  /** Why harm begins then, and what it has to grow to. */
  readonly onset: string;
  /** Also played with the heartbeat of 0.5.20, where that says more. */
  readonly heartbeat?: boolean;
  readonly but?: readonly But[];
}

/** One way to look at a scenario. */
export interface Look {
  readonly size: SizeName;
  readonly evidence: Evidence;
  readonly everyS: number;
}

/** A scenario in which nothing is wrong. */
export interface Calm {
  readonly scenario: string;
  readonly why: string;
}

/** Every way to look at a scenario: 5 s is what is recorded, 15 s what a slower scraper has of it. */
export function looksAt({ heartbeat = false }: { readonly heartbeat?: boolean }): Look[] {
  const evidences: readonly Evidence[] = ['full', 'early', 'gauges', ...(heartbeat ? (['heartbeat'] as const) : [])];
  return (['1P1D', '4P8D'] as const).flatMap((size) =>
    evidences.flatMap((evidence) => [5, 15].map((everyS) => ({ size, evidence, everyS })))
  );
}

export const D0 = 'decode-0:30002';
export const P0 = 'prefill-0:30000';

/** With fewer metrics less is asked for. */
const USUAL: Readonly<Record<Evidence, Expected['named']>> = {
  full: 'exactly',
  heartbeat: 'exactly',
  early: 'among others',
  gauges: 'never',
};
/** Gauges must first outlast two idle refreshes of 30 s. */
const GAUGES_WAIT_S = 60;

/** What a row asks for in one look: each exception that applies replaces what it names. */
export function expectedOf(row: Row, look: Look): Expected {
  const usual = { also: [], trigger: 'none', extraS: 0, named: USUAL[look.evidence] } as const;
  const exceptions = (row.but ?? []).filter((but) => applies(but, look));
  const expected = exceptions.reduce<Expected>((before, but) => ({ ...before, ...but }), { ...usual, ...row });
  return { ...expected, extraS: expected.extraS + (look.evidence === 'gauges' ? GAUGES_WAIT_S : 0) };
}

const applies = ({ size, evidence, everyS }: But, look: Look): boolean =>
  (size === undefined || size === look.size) &&
  (evidence === undefined || [evidence].flat().includes(look.evidence)) &&
  (everyS === undefined || everyS === look.everyS);
