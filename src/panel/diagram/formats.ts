import { duration } from '../../pipeline';

/** How numbers and instants are worded; the panel knows the time zone and the unit formatting, the diagram does not. */
export interface Formats {
  /** Wall clock of an instant, such as `20:38:03`. */
  readonly time: (atMs: number) => string;
  /** Label of an axis tick; the step tells how much of the instant matters. */
  readonly tick: (atMs: number, stepMs: number) => string;
  /** A rate with its unit, such as `3.4/s`. */
  readonly rate: (perSec: number) => string;
  /** A number of requests. */
  readonly count: (value: number) => string;
}

/** The largest unit of a duration only: for places where every glyph counts. */
export function shortDuration(ms: number): string {
  return duration(ms).split(' ').slice(0, 2).join(' ');
}
