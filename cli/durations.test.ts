import { readDuration } from './durations';

describe('readDuration', () => {
  it.each([
    ['30m', 1_800_000],
    ['5s', 5000],
    ['500ms', 500],
    ['1h30m', 5_400_000],
    ['1d', 86_400_000],
    ['1w', 604_800_000],
    ['15', 15_000],
    ['0.5', 500],
    ['', undefined],
    ['m', undefined],
    ['-5s', undefined],
    ['5 s', undefined],
    ['5s!', undefined],
    ['1e3', undefined],
    ['30min', undefined],
  ])('%s', (text, ms) => {
    expect(readDuration(text)).toBe(ms);
  });
});
