import type { RawSeries } from '../model';
import type { Fall } from '../series';

/** Clocks are adjusted: a start that moves by less is the same process. */
const CLOCK_SLACK_S = 5;

/**
 * A later start of the process is a restart, although no counter need have fallen: one that counts fast is soon higher
 * than it was. The other exporter is scraped at instants of its own, so the restart is seen at the first scrape that
 * comes after both the start and its report.
 */
export function replacementsOf(timesMs: readonly number[], starts: RawSeries | undefined): Fall[] {
  const falls: Fall[] = [];
  let known: { seconds: number; sinceIndex: number } | undefined;
  starts?.values.forEach((seconds, i) => {
    const firstMs = Math.max(starts.timesMs[i] ?? 0, seconds * 1000);
    const atIndex = timesMs.findIndex((t) => t >= firstMs);
    if (known && seconds - known.seconds > CLOCK_SLACK_S && atIndex > 0) {
      falls.push({ sinceIndex: known.sinceIndex, atIndex });
    }
    if (!known || Math.abs(seconds - known.seconds) > CLOCK_SLACK_S) {
      known = { seconds, sinceIndex: Math.max(0, atIndex) };
    }
  });
  return falls;
}
