import { count, duration, listed, rate, UTC_WORDS } from './sentences';

it.each<[number, string]>([
  [-5, '0 s'],
  [0, '0 s'],
  [499, '0 s'],
  [42_000, '42 s'],
  [60_000, '1 m'],
  [642_000, '10 m 42 s'],
  [3_600_000, '1 h'],
  [11_100_000, '3 h 5 m'],
  [187_200_000, '2 d 4 h'],
])('%i ms are said as %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

it.each<[number, string]>([
  [0.0166, '0.02'],
  [0.1, '0.1'],
  [3.44, '3.4'],
  [12.34, '12.3'],
  [123.4, '123'],
])('%d per second are said as %s', (perSec, text) => {
  expect(rate(perSec)).toBe(text);
});

it('counts have their plural', () => {
  expect([count(0, 'abort'), count(1, 'abort'), count(2, 'abort'), count(2, 'series', 'series')]).toEqual([
    '0 aborts',
    '1 abort',
    '2 aborts',
    '2 series',
  ]);
});

it('the clock is that of UTC where nobody says otherwise', () => {
  expect(UTC_WORDS.time(Date.UTC(2026, 8, 14, 20, 38, 3))).toBe('20:38:03');
});

it.each<[string[], string]>([
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
])('%j are listed as %s', (names, text) => {
  expect(listed(names)).toBe(text);
});
