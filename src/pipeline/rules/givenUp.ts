import { riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import { holds } from '../profiles/versions';

/**
 * Rules about requests whose clients gave up. The HTTP process counts each of them; the scheduler's loop takes it out of
 * its queue and counts it as failed there. So they tell, without stage counters, whether a loop lives and where requests
 * stand.
 */

export interface GivenUp {
  /** Clients that gave up, as the HTTP process counts them. */
  readonly aborted: number;
  /** Scrapes that show one. */
  readonly scrapes: number;
  /** Taken out of the queue before decode had sent its metadata, by aborts and by expired timers. */
  readonly atDoor: number;
  /** Taken out after that. */
  readonly inTransfer: number;
}

/** What has become of them on one engine after an instant. */
export function givenUpSince(e: EngineMoment, fromMs: number): GivenUp {
  const { engine, index } = e;
  const aborts = engine.rises.get('requests.aborted') ?? [];
  return {
    aborted: riseSince(engine, 'requests.aborted', fromMs, index) ?? 0,
    scrapes: engine.timesMs.filter((t, i) => i <= index && t > fromMs && (aborts[i] ?? 0) > 0).length,
    atDoor: riseSince(engine, 'bootstrap.failed', fromMs, index) ?? 0,
    inTransfer: riseSince(engine, 'transfer.failed', fromMs, index) ?? 0,
  };
}

export const takenOut = ({ atDoor, inTransfer }: GivenUp): number => atDoor + inTransfer;

/** Some give up again and again. */
export const isPersistent = ({ aborted, scrapes }: GivenUp): boolean => aborted >= 3 && scrapes >= 2;

/**
 * Requests that fail are counted: where one has been, or SGLang is 0.5.2 or newer. Before, nobody knows what has become of
 * those that were given up.
 */
export const countsFailures = (moment: Moment): boolean =>
  moment.engines.some(
    ({ engine, index }) =>
      (['bootstrap.failed', 'transfer.failed'] as const).some((id) => engine.columns.get(id)?.[index] !== undefined) ||
      holds(engine.releases[index], 'utilization') === true
  );

/** The same over all live engines of a side. */
export function givenUpOn(moment: Moment, role: 'prefill' | 'decode', fromMs: number): GivenUp {
  const each = serversOf(moment, role)
    .filter((e) => e.state === 'live')
    .map((e) => givenUpSince(e, fromMs));
  const sum = (of: (one: GivenUp) => number): number => each.reduce((n, one) => n + of(one), 0);
  return {
    aborted: sum((one) => one.aborted),
    scrapes: Math.max(0, ...each.map((one) => one.scrapes)),
    atDoor: sum((one) => one.atDoor),
    inTransfer: sum((one) => one.inTransfer),
  };
}
