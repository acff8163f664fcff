import { clockFor } from './zone';

const AT_MS = Date.UTC(2026, 8, 14, 20, 48, 45);

describe('clockFor', () => {
  it.each([
    ['UTC', '20:48:45', 'UTC'],
    ['Etc/UTC', '20:48:45', 'UTC'],
    ['Europe/Berlin', '22:48:45', 'Europe/Berlin (UTC+02:00)'],
    ['America/New_York', '16:48:45', 'America/New_York (UTC-04:00)'],
    ['Asia/Kathmandu', '2026-09-15 02:33:45', 'Asia/Kathmandu (UTC+05:45)'],
  ])('%s', (timeZone, time, zone) => {
    const clock = clockFor(timeZone, AT_MS);
    expect(clock.full(AT_MS).endsWith(time)).toBe(true);
    expect(clock.zone).toBe(zone);
  });

  it('gives the date with an instant of another day', () => {
    const { time } = clockFor('Europe/Berlin', Date.UTC(2026, 8, 14, 22, 30));
    expect(time(Date.UTC(2026, 8, 14, 22, 0))).toBe('00:00:00');
    expect(time(Date.UTC(2026, 8, 14, 21, 59, 59))).toBe('2026-09-14 23:59:59');
  });
});
