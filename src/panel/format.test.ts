import { formatNumber, formatsFor } from './format';

describe('numbers', () => {
  it.each([
    [0, '0'],
    [3, '3'],
    [0.1, '0.1'],
    [0.35, '0.35'],
    [0.004, '<0.01'],
    [3.44, '3.4'],
    [34.56, '34.6'],
    [345.6, '346'],
    [1234, '1.2K'],
    [93_184, '93.2K'],
    [123_456_789_012, '123Bil'],
    [-2, '-2'],
  ])('%d is %s', (value, expected) => {
    expect(formatNumber(value)).toBe(expected);
  });

  it('keeps the decimals that the panel sets', () => {
    expect(formatNumber(3.44, 2)).toBe('3.44');
  });

  it.each([NaN, Infinity, -Infinity])('%d does not break', (value) => {
    expect(typeof formatNumber(value)).toBe('string');
  });
});

describe('instants', () => {
  const at = Date.UTC(2026, 4, 12, 20, 38, 3);

  it('are told in the time zone of the reader', () => {
    expect(formatsFor('utc', at).time(at)).toBe('20:38:03');
    expect(formatsFor('Europe/Berlin', at).time(at)).toBe('22:38:03');
  });

  it('of another day have their date', () => {
    expect(formatsFor('utc', at).time(at - 86_400_000)).toBe('05-11 20:38:03');
  });

  it.each([
    [5000, '20:38:03'],
    [300_000, '20:38'],
    [86_400_000, '05-12'],
  ])('an axis of %d ms steps says no more than it must', (stepMs, expected) => {
    expect(formatsFor('utc', at).tick(at, stepMs)).toBe(expected);
  });
});
