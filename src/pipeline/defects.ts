import type { Conclusion } from './conclusions/speech';
import { riseSince, serversOf, type EngineMoment, type Moment } from './moment';
import type { KnownDefect, Role } from './model';
import { DEFECTS, type Defect, type Need } from './profiles/defects';
import { isOutside } from './profiles/versions';
import { KV_FULL } from './room';
import { routerFault } from './rules/router';

const MOST_NAMED = 3;
/** A prefill that went away this long before may have led to it. */
const BEFORE_MS = 300_000;
const KV_FREE = 0.5;

interface Case {
  readonly moment: Moment;
  readonly verdict: Conclusion;
  readonly sinceMs: number;
}

const IS_MET: Readonly<Record<Need, (c: Case) => boolean>> = {
  'abort-burst': ({ verdict }) => verdict.trigger?.kind === 'abort-burst',
  aborts: ({ moment }) => serversOf(moment, 'decode').some((e) => hasRisen(e, 'requests.aborted', -Infinity)),
  'prefill-gone': ({ moment, sinceMs }) => serversOf(moment, 'prefill').some((e) => isGone(e, sinceMs - BEFORE_MS)),
  'prefill-failures': ({ moment, sinceMs }) =>
    serversOf(moment, 'prefill').some((e) => hasRisen(e, 'transfer.failed', sinceMs - moment.intervalMs)),
  'kv-free': (c) => usageOf(c).some((usage) => usage < KV_FREE),
  'kv-full': (c) => usageOf(c).some((usage) => usage >= KV_FULL),
  'transfer-held': (c) =>
    decodeOf(c).some((e) => e.readings.some((r) => r.stage === 'decode.transfer' && (r.depth.value ?? 0) > 0)),
  'one-leg': ({ moment }) => (routerFault(moment)?.missing ?? 'both') !== 'both',
  'breaker-open': ({ moment }) => routerSays(moment, 'router.breaker'),
  'said-healthy': ({ moment }) => routerSays(moment, 'router.health'),
};

/** The reports that match a verdict: those that ask for more evidence first, then in the order of the table. */
export function knownDefectsOf(moment: Moment, verdict: Conclusion): KnownDefect[] {
  const c: Case = { moment, verdict, sinceMs: verdict.sinceMs ?? moment.atMs };
  return DEFECTS.filter((defect) => isMatch(defect, c))
    .sort((a, b) => (b.needs?.length ?? 0) - (a.needs?.length ?? 0))
    .slice(0, MOST_NAMED)
    .map(({ issue, text, fixedIn }) => ({ issue, text, ...(fixedIn !== undefined && { fixedIn }) }));
}

function isMatch(defect: Defect, c: Case): boolean {
  const { kind, stage } = c.verdict;
  const isHere = !defect.stages || (stage !== undefined && defect.stages.includes(stage));
  return (
    defect.kinds.includes(kind) &&
    isHere &&
    isAffected(defect, c) &&
    (defect.needs ?? []).every((need) => IS_MET[need](c))
  );
}

/** Some engine that may be at fault may be of an affected release; nothing excludes a router. */
const isAffected = ({ side, since, fixedIn }: Defect, c: Case): boolean =>
  side === 'router' ||
  suspects(c, side).some(({ engine, index }) => !isOutside(engine.releases[index] ?? {}, { since, until: fixedIn }));

function isGone({ engine, index, state }: EngineMoment, fromMs: number): boolean {
  return state === 'lost' || engine.restarts.some((r) => r <= index && (engine.timesMs[r] ?? 0) >= fromMs);
}

const hasRisen = (e: EngineMoment, id: 'requests.aborted' | 'transfer.failed', fromMs: number): boolean =>
  (riseSince(e.engine, id, fromMs, e.index) ?? 0) > 0;

/** The engine of the verdict where it is on that side, else all of the side. */
function suspects({ moment, verdict }: Case, side: Role): EngineMoment[] {
  const all = serversOf(moment, side);
  const own = all.filter((e) => e.engine.id === verdict.engine);
  return own.length > 0 ? own : all;
}

const decodeOf = (c: Case): EngineMoment[] => suspects(c, 'decode');

const usageOf = (c: Case): number[] =>
  decodeOf(c)
    .map(({ engine, index }) => engine.columns.get('gauge.usage')?.[index])
    .filter((usage) => usage !== undefined);

const routerSays = (moment: Moment, id: 'router.breaker' | 'router.health'): boolean =>
  serversOf(moment, 'router').some(({ engine, index }) => (engine.columns.get(id)?.[index] ?? 0) > 0);

/** Its number, what it is, and in which release it is gone. */
export const wordDefect = ({ issue, text, fixedIn }: KnownDefect): string =>
  `${issue} (${text}${fixedIn === undefined ? '' : `, fixed in ${fixedIn}`})`;
