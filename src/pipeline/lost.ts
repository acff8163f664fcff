import type { RawSeries, Role } from './model';
import { TARGET_LABELS } from './profiles/targets';
import { roleOf, type CompiledRole } from './roles';
import { addressOf, agrees, groupTargets, type Labels, type Target, type ToldTarget } from './targets';

interface LostInput {
  readonly ups: readonly RawSeries[];
  /** All targets that have delivered series, used or not. */
  readonly seen: readonly Target[];
  readonly servers: readonly ToldTarget[];
  readonly roles: readonly CompiledRole[];
}

/**
 * Engines that were down before the range began: Prometheus goes on to fail at the target, and no series is left. Its
 * first failure in the range is all that is known of it in time. One whose side cannot be told is left out.
 */
export function lostTargets({ ups, seen, servers, roles }: LostInput): ToldTarget[] {
  const silent = groupTargets(ups)
    .filter(({ series }) => series.every((s) => s.values.every((v) => v === 0)))
    .filter(({ labels }) => !seen.some((t) => agrees(t.labels, labels) && addressOf(t.labels) === addressOf(labels)));
  const jobs = new Set(silent.map(({ labels }) => jobOf(labels)));
  return silent.flatMap((target): ToldTarget[] => {
    const { labels, series } = target;
    const near = servers.filter((s) => agrees(s.labels, labels, TARGET_LABELS.division));
    const peers = near.filter((s) => jobOf(s.labels) === jobOf(labels));
    const one = jobs.size === 1 && !isDivided(peers, near) ? missingIn(near) : undefined;
    const told = roleOf(series, roles) ?? roleInName(labels);
    const role = told ?? one?.role ?? onlyOne(peers.map((p) => p.role));
    const model = onlyOne(peers.map((p) => p.model)) ?? one?.model ?? onlyOne(near.map((s) => s.model));
    return role ? [{ ...target, series: series.map(firstSample), role, model }] : [];
  });
}

/** Where all are scraped under one job, the job does not tell the sides apart. */
const isDivided = (ofJob: readonly ToldTarget[], all: readonly ToldTarget[]): boolean =>
  ofJob.length > 0 && ofJob.length < all.length;

/** Where its job, pod or address says `prefill` or `decode`. */
function roleInName(labels: Labels): Role | undefined {
  const names = [...TARGET_LABELS.job, ...TARGET_LABELS.place, ...TARGET_LABELS.address].map((label) => labels[label]);
  return onlyOne((['prefill', 'decode'] as const).filter((role) => names.some((name) => name?.includes(role))));
}

const firstSample = ({ labels, timesMs, values }: RawSeries): RawSeries => ({
  labels,
  timesMs: timesMs.slice(0, 1),
  values: values.slice(0, 1),
});

const jobOf = (labels: Labels): string => TARGET_LABELS.job.map((name) => labels[name] ?? '').join(' ');

function onlyOne<T>(values: readonly T[]): T | undefined {
  const [first, ...others] = [...new Set(values)];
  return others.length === 0 ? first : undefined;
}

/** The one side that the only incomplete model lacks. */
function missingIn(servers: readonly ToldTarget[]): { role: Role; model: string | undefined } | undefined {
  const models = [...new Set(servers.map(({ model }) => model))];
  const lacking = models.flatMap((model) => {
    const roles = new Set(servers.filter((s) => s.model === model).map((s) => s.role));
    const role: Role | undefined =
      roles.has('prefill') === roles.has('decode') ? undefined : roles.has('prefill') ? 'decode' : 'prefill';
    return role ? [{ role, model }] : [];
  });
  return lacking.length === 1 ? lacking[0] : undefined;
}
