/** Kinds that only the evaluator or only the alerts give in the plays of a scenario, and why. */
export interface Listed {
  readonly scenario: string;
  /** The plays that it is true for, as `playName` words them; all of the scenario where absent. */
  readonly plays?: readonly string[];
  readonly onlyEvaluator?: readonly string[];
  readonly onlyAlerts?: readonly string[];
  readonly why: string;
}

/**
 * Every disagreement that is allowed. One that is not here fails, and one that is here and does not happen fails too.
 * The same rows are the table of agreement in docs/alerts.md.
 */
export const LISTED: readonly Listed[] = [
  {
    scenario: 'decode-full-of-aborted',
    onlyAlerts: ['decode-admission-blocked'],
    why: 'One departure ends a stall in the rules, so the next stage upstream is blamed until the transfers stand again',
  },
  {
    scenario: 'dp-rank-stalled',
    onlyEvaluator: ['transfer-stalled'],
    why: 'The rules add up the data-parallel ranks of an engine: three that flow hide the one that stands',
  },
  {
    scenario: 'dp-rank-wedged',
    onlyEvaluator: ['decode-wedged'],
    why: 'As before: three ranks that go on hide the one that stands',
  },
  {
    scenario: 'abort-not-propagated',
    onlyEvaluator: ['aborts-not-absorbed'],
    onlyAlerts: ['transfer-stalled', 'decode-admission-blocked'],
    why: 'Nobody told decode, so its requests are still open. The evaluator knows them by the aborts that only prefill counted; the rules cannot tell whose they were',
  },
  {
    scenario: 'decode-blocked-on-dead-prefill',
    onlyAlerts: ['engine-down'],
    why: 'Prefill is down as well, and that is true: two alerts may fire, but there is one verdict only',
  },
  {
    scenario: 'prefill-watchdog',
    onlyEvaluator: ['router-fault'],
    onlyAlerts: ['handshake-stalled'],
    why: 'The router leaves the new process out for 75 s. The rules need 60 s to see that, and what waits has waited for longer',
  },
  {
    scenario: 'prefill-watchdog',
    plays: ['1P1D, 15 s'],
    onlyAlerts: ['engine-down'],
    why: 'The process is away for 40 s, and the alert fires 30 s after the last scrape; the evaluator waits for a third one',
  },
  {
    scenario: 'missing-decode-legs',
    onlyEvaluator: ['router-fault'],
    why: 'The rules see a side that gets nothing, or an open breaker; that it gets a part too little is only told by scrapes compared one by one',
  },
  {
    scenario: 'missing-prefill-legs',
    onlyEvaluator: ['router-fault'],
    why: 'The rules see a side that gets nothing, or an open breaker; that it gets a part too little is only told by scrapes compared one by one',
  },
  {
    scenario: 'frontend-stuck',
    onlyEvaluator: ['frontend-stuck'],
    onlyAlerts: ['decode-wedged'],
    why: 'The idle refresh of the gauges shows the evaluator that the loop turns; the rules only look at counters',
  },
  {
    scenario: 'frontend-stuck-probes-pass',
    plays: ['1P1D, 5 s'],
    onlyEvaluator: ['frontend-stuck'],
    why: 'After three scrapes the evaluator knows it; the rules look at it every 15 s, and once more before the alert fires',
  },
  {
    scenario: 'decode-crash',
    plays: ['2P4D, 15 s'],
    onlyEvaluator: ['engine-down'],
    why: 'The evaluator sees that others miss the engine; for the rules it may be a restart or a failing scrape, for five minutes',
  },
  {
    scenario: 'founding',
    plays: ['1P1D, 15 s, gauges'],
    onlyEvaluator: ['transfer-stalled'],
    why: 'SGLang before 0.5.3 counts no stages: the rules know nothing of such an engine',
  },
];
