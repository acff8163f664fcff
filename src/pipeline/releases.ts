import type { RawSeries, VersionRange } from './model';
import { ENGINE_PREFIX } from './profiles/sglang';
import { ASKED_TOGETHER, compareReleases, SWITCHES, type Sign, type Switch, type SwitchId } from './profiles/versions';
import { indexAt } from './series';

type Row = readonly [SwitchId, Switch];

const isSwitchId = (id: string): id is SwitchId => id in SWITCHES;
const ROWS: readonly Row[] = Object.entries<Switch>(SWITCHES).flatMap(([id, row]): Row[] =>
  isSwitchId(id) ? [[id, row]] : []
);

/**
 * Which releases an engine may be of, per scrape, from what it had exposed since its process started: an upgrade needs a
 * restart. Nothing is concluded from what is seen later.
 */
export function releasesOf(
  series: readonly RawSeries[],
  timesMs: readonly number[],
  restarts: readonly number[]
): VersionRange[] {
  const shown = ROWS.map(([id, { sign }]) => ({ id, by: sign ? series.filter(shows(sign)) : [] }));
  const seen = new Set<SwitchId>();
  let range: VersionRange = {};
  return timesMs.map((atMs, i) => {
    const afterMs = timesMs[i - 1] ?? -Infinity;
    if (restarts.includes(i)) {
      seen.clear();
    }
    const fresh = shown.filter(({ id, by }) => !seen.has(id) && by.some((s) => isSampled(s, afterMs, atMs)));
    fresh.forEach(({ id }) => seen.add(id));
    range = fresh.length > 0 || restarts.includes(i) ? rangeOf(seen) : range;
    return range;
  });
}

const shows = (sign: Sign): ((series: RawSeries) => boolean) => {
  const pattern = new RegExp(`^(?:${sign.value ?? ''})$`);
  return ({ labels }) =>
    (labels['__name__'] ?? '').replace(ENGINE_PREFIX, '') === sign.family &&
    (sign.label === undefined || pattern.test(labels[sign.label] ?? ''));
};

function isSampled({ timesMs }: RawSeries, afterMs: number, atMs: number): boolean {
  const last = timesMs[indexAt(timesMs, atMs)];
  return last !== undefined && last > afterMs;
}

/** What is seen contradicts itself where two processes share one name: then nothing is known. */
function rangeOf(seen: ReadonlySet<SwitchId>): VersionRange {
  const proven = ROWS.filter(([id]) => seen.has(id)).map(([, row]) => row);
  const bounds = narrowed({ from: latest(proven.map((r) => r.since)), before: earliest(proven.map((r) => r.until)) });
  if (!bounds || !seen.has(ASKED_TOGETHER)) {
    return bounds ?? {};
  }
  const missing = ROWS.filter(([id, { pushed }]) => pushed && !seen.has(id)).map(([, row]) => row);
  const { from, before } = bounds;
  const isLater = (v: string | undefined): boolean => !v || !from || compareReleases(v, from) > 0;
  const isEarlier = (v: string | undefined): boolean => !v || !before || compareReleases(v, before) < 0;
  const notYet = earliest([before, ...missing.map((r) => r.since).filter(isLater)]);
  const noMore = latest([from, ...missing.map((r) => r.until).filter(isEarlier)]);
  return narrowed({ from: noMore, before: notYet }) ?? bounds;
}

const narrowed = (range: VersionRange): VersionRange | undefined =>
  range.from && range.before && compareReleases(range.from, range.before) >= 0 ? undefined : range;

const sorted = (versions: ReadonlyArray<string | undefined>): string[] =>
  versions.filter((v) => v !== undefined).sort(compareReleases);
const earliest = (versions: ReadonlyArray<string | undefined>): string | undefined => sorted(versions)[0];
const latest = (versions: ReadonlyArray<string | undefined>): string | undefined => sorted(versions).reverse()[0];
