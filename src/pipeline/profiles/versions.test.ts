import type { VersionRange } from '../model';
import {
  compareReleases,
  firstReleaseOf,
  holds,
  rangeOfRelease,
  readRelease,
  wordRange,
  type SwitchId,
} from './versions';

describe('readRelease', () => {
  const rows: ReadonlyArray<readonly [text: string, release: string | undefined, why: string]> = [
    ['0.5.9', '0.5.9', 'a release'],
    [' v0.5.23 ', '0.5.23', 'a tag'],
    ['0.4.9.post5', '0.4.9.post5', 'a later build of a release'],
    ['0.5.12rc1', '0.5.12', 'a candidate is read as its release'],
    ['0.5.9.dev12+g1a2b3c', '0.5.9', 'so is a build between two releases'],
    ['0.5.10+cu128', '0.5.10', 'and one for other hardware'],
    ['0.5', undefined, 'half a release'],
    ['latest', undefined, 'a word'],
    ['0.5.9 or so', undefined, 'a release and words'],
    ['', undefined, 'nothing'],
  ];
  it.each(rows)('%j is %s: %s', (text, release) => {
    expect(readRelease(text)).toBe(release);
  });
});

it.each([
  ['0.5.9', '0.5.10', 'numbers, not letters'],
  ['0.4.9', '0.4.9.post5', 'a post release comes after its release'],
  ['0.4.9.post5', '0.5.0', 'and before the next one'],
])('%s is older than %s: %s', (older, newer) => {
  expect(compareReleases(older, newer)).toBeLessThan(0);
  expect(compareReleases(newer, older)).toBeGreaterThan(0);
  expect(compareReleases(older, older)).toBe(0);
});

it.each([
  ['0.5.9', { from: '0.5.9', before: '0.5.10' }],
  ['0.4.9.post5', { from: '0.4.9.post5', before: '0.4.10' }],
])('a release that was told, %s, is itself', (release, range) => {
  expect(rangeOfRelease(release)).toEqual(range);
});

describe('holds', () => {
  const rows: ReadonlyArray<readonly [VersionRange | undefined, SwitchId, boolean | undefined, string]> = [
    [{ from: '0.5.10' }, 'httpOpenUntilStreamEnds', true, 'every release of the range has it'],
    [{ from: '0.5.9', before: '0.5.10' }, 'httpOpenUntilStreamEnds', false, 'none has it yet'],
    [{ from: '0.5.9', before: '0.5.12' }, 'httpOpenUntilStreamEnds', undefined, 'some have it'],
    [{ from: '0.5.9' }, 'prefillReportMissing', undefined, 'it may have ended'],
    [{ before: '0.5.10' }, 'prefillReportMissing', undefined, 'it may not have begun'],
    [{ from: '0.5.9', before: '0.5.10' }, 'prefillReportMissing', true, 'the one release that has it'],
    [{ from: '0.5.10' }, 'prefillReportMissing', false, 'it has ended'],
    [{ from: '0.4.9.post5', before: '0.5.2' }, 'misspeltInflight', true, 'older than the table'],
    [{}, 'stageCounters', undefined, 'nothing is known'],
    [undefined, 'stageCounters', undefined, 'no such scrape'],
  ];
  it.each(rows)('of %j, %s: %s, for %s', (range, id, expected) => {
    expect(holds(range, id)).toBe(expected);
  });
});

it.each([
  ['per_stage_req_latency_seconds_count', '0.5.3'],
  ['http_requests_active', '0.5.8'],
  ['kv_transfer_latency_ms_count', '0.5.10'],
  ['num_running_reqs', undefined],
])('%s is exposed since %s', (family, release) => {
  expect(firstReleaseOf(family)).toBe(release);
});

it.each([
  [{ from: '0.5.12', before: '0.5.16' }, '0.5.12 or later, before 0.5.16'],
  [{ from: '0.5.20' }, '0.5.20 or later'],
  [{ before: '0.5.2' }, 'before 0.5.2'],
  [{}, undefined],
])('%j in words: %s', (range, words) => {
  expect(wordRange(range)).toBe(words);
});
