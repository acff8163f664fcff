import { outcomeOf } from './complaints';
import { isAlarm, judgeAll, nameOf, recordRow, said } from './play';
import type { Recording } from './recording';
import { expectedOf, looksAt, type Calm, type Look, type Row } from './rows/row';

/** Plays every row in every look, and prints how long each fault took to be named. */
export function playFaults(rows: readonly Row[]): void {
  const namedAfter = new Map<string, string>();
  describe.each(rows.map((row) => [row.scenario, row.why, row] as const))('%s: %s', (scenario, _why, row) => {
    inEachLook(scenario, looksAt(row), (recording, look) => {
      const played = { ...look, judged: judgeAll(recording, look.everyS), truth: recording.truth };
      const { complaints, namedAfterS } = outcomeOf(played, expectedOf(row, look));
      namedAfter.set(nameOf(scenario, look), namedAfterS === undefined ? 'not' : String(namedAfterS));
      expect(complaints).toEqual([]);
    });
  });
  afterAll(() => process.stdout.write(table(rows, namedAfter)));
}

/** No alarm at any scrape, in any look. */
export function playCalm(rows: readonly Calm[]): void {
  describe.each(rows.map((row) => [row.scenario, row.why] as const))('%s: %s', (scenario) => {
    inEachLook(scenario, looksAt({ heartbeat: true }), (recording, look) => {
      const loud = judgeAll(recording, look.everyS).filter(({ verdict }) => isAlarm(verdict));
      expect(loud.map(said)).toEqual([]);
    });
  });
}

/** Records each size and evidence once; neighbouring looks share it. */
function inEachLook(scenario: string, looks: readonly Look[], check: (recording: Recording, look: Look) => void): void {
  let last: { readonly key: string; readonly recording: Recording } | undefined;
  for (const look of looks) {
    const key = `${look.size} ${look.evidence}`;
    test(nameOf(scenario, look), () => {
      last = last?.key === key ? last : { key, recording: recordRow(scenario, look.size, look.evidence) };
      check(last.recording, look);
    });
  }
}

function table(rows: readonly Row[], namedAfter: ReadonlyMap<string, string>): string {
  const looks = looksAt({ heartbeat: true });
  const line = (title: string, cells: readonly string[]): string =>
    [title.padEnd(32), ...cells.map((cell) => cell.padEnd(10))].join('').trimEnd();
  return [
    'Seconds from the beginning of harm to its name:',
    ...(['size', 'evidence', 'everyS'] as const).map((part) =>
      line(
        part === 'everyS' ? 'scraped every (s)' : part,
        looks.map((look) => String(look[part]))
      )
    ),
    ...rows.map(({ scenario }) =>
      line(
        scenario,
        looks.map((look) => namedAfter.get(nameOf(scenario, look)) ?? '')
      )
    ),
    '',
  ].join('\n');
}
