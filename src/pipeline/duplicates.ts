import { overlap, samplesOf } from './copies';
import type { Problem, Role } from './model';
import { TARGET_LABELS } from './profiles/targets';
import { addressOf, agrees, joined, type Target, type ToldTarget } from './targets';

/** An address that names one process wherever it is read: with a port, and not the machine's own loop. */
const PLACED_ADDRESS = /^(?:\w+:\/\/)?(?!localhost:|127\.|0\.0\.0\.0:|\[::1?\])(.+:\d+)\/?$/;
/** `host:port`, whether it was scraped there or named by a gateway. */
export const hostAndPort = (address: string): string | undefined => PLACED_ADDRESS.exec(address)?.[1];

/**
 * One process that is scraped twice (under two jobs, or directly and through a gateway) is counted once. `copied` are the
 * addresses of which there was more at a time, from several Prometheus servers too.
 */
export function withoutDuplicates(all: readonly ToldTarget[]): { kept: ToldTarget[]; copied: string[] } {
  const kept: ToldTarget[] = [];
  const byAddress = new Map<string, number[]>();
  for (const one of [...all].sort(bestFirst)) {
    const address = hostAndPort(addressOf(one.labels)) ?? '';
    const places = address === '' ? [] : (byAddress.get(address) ?? []);
    const place = places.find((at) => isSameProcess(one, kept[at]));
    const first = place === undefined ? undefined : kept[place];
    if (place !== undefined && first) {
      kept[place] = joined(first, one);
    } else {
      byAddress.set(address, [...places, kept.length]);
      kept.push(one);
    }
  }
  return { kept, copied: kept.filter(({ isCopied }) => isCopied).map(({ labels }) => addressOf(labels)) };
}

/** At one address there is one process at a time: another pod may follow, but not stand beside. */
const isSameProcess = (one: ToldTarget, other: ToldTarget | undefined): boolean =>
  other !== undefined &&
  agrees(one.labels, other.labels, TARGET_LABELS.division) &&
  (agrees(one.labels, other.labels, TARGET_LABELS.place) || !overlap(one.series, other.series)) &&
  (one.role === other.role || !isSided(one.role) || !isSided(other.role));

const isSided = (role: Role | undefined): boolean => role === 'prefill' || role === 'decode';

/** Scraped directly, for then Prometheus tells whether it is up; else the one of which more is known. */
const bestFirst = (one: ToldTarget, other: ToldTarget): number =>
  Number(isBehindGateway(one)) - Number(isBehindGateway(other)) ||
  samplesOf(other.series) - samplesOf(one.series) ||
  (JSON.stringify(one.labels) < JSON.stringify(other.labels) ? -1 : 1);

const isBehindGateway = ({ labels }: Target): boolean => labels['worker_addr'] !== undefined;
/** Says of which targets one copy of several is used. */
export function describeDuplicates(names: readonly string[]): Problem[] {
  const some = [...new Set(names)].sort();
  if (some.length === 0) {
    return [];
  }
  const list = `${some.slice(0, 3).join(', ')}${some.length > 3 ? ' …' : ''}`;
  const count = some.length === 1 ? 'One server is' : `${some.length} servers are`;
  return [
    {
      kind: 'duplicate-series',
      text: `${count} there more than once, as scraped twice or stored by several Prometheus servers: ${list}. One copy of each is used.`,
      nextStep: 'Scrape each server once, let the store drop copies, or narrow the label matchers to one of them.',
    },
  ];
}
