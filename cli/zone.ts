import type { Words } from '../src/pipeline';

/** The clock of one reader. */
export interface Clock extends Words {
  /** Date and time of an instant. */
  readonly full: (atMs: number) => string;
  /** `Europe/Berlin (UTC+02:00)` as it is at the instant that is judged. */
  readonly zone: string;
}

/** Instants in one time zone: those of another day than `aroundMs` carry their date. */
export function clockFor(timeZone: string, aroundMs: number): Clock {
  // Swedish writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const full = (atMs: number): string => format.format(atMs);
  const today = full(aroundMs).slice(0, 10);
  return {
    full,
    time: (atMs) => {
      const text = full(atMs);
      return text.startsWith(today) ? text.slice(11) : text;
    },
    zone: zoneName(timeZone, aroundMs),
  };
}

function zoneName(timeZone: string, aroundMs: number): string {
  if (/^(Etc\/)?(UTC|GMT)$/.test(timeZone)) {
    return 'UTC';
  }
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(aroundMs);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${timeZone} (${offset.replace('GMT', 'UTC')})`;
}
