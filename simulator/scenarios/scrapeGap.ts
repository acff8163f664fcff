import { type Scenario } from '../scenario';

const MINUTE_MS = 60_000;

/** The traffic is healthy all the time; only the watching is not. */
export const scrapeGap: Scenario = {
  name: 'scrape-gap',
  summary:
    'Healthy traffic; Prometheus is away for 90 s at minute 10, decode cannot be scraped for 2 min at minute 18.',
  minMinutes: 21,
  script: ({ traffic, faults, simulation, decode, startMs }) => {
    traffic.start();
    faults.prometheusGap(startMs + 10 * MINUTE_MS, startMs + 11.5 * MINUTE_MS);
    simulation.at(startMs + 18 * MINUTE_MS, () => faults.stopScrape(decode));
    simulation.at(startMs + 20 * MINUTE_MS, () => faults.resumeScrape(decode));
  },
};
