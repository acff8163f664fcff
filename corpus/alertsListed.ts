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
    scenario: 'abort-not-propagated',
    onlyEvaluator: ['prefill-stalled'],
    onlyAlerts: ['transfer-stalled', 'decode-admission-blocked'],
    why: 'Nobody told decode, so its requests are still open. The evaluator takes those that prefill has dropped for uncomputed ones: wrong',
  },
  {
    scenario: 'abort-not-propagated',
    plays: ['1P1D, 15 s'],
    onlyEvaluator: ['aborts-not-absorbed'],
    why: 'At first the evaluator knows the orphans by what prefill has computed since; the rules cannot tell who computed what',
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
    scenario: 'lost-decode-leg',
    onlyEvaluator: ['handshake-stalled'],
    onlyAlerts: ['router-fault'],
    why: 'The router counts that it selects decode, and the evaluator believes it; the rules only count what arrives, and nothing does',
  },
  {
    scenario: 'frontend-stuck',
    plays: ['1P1D, 5 s'],
    onlyEvaluator: ['frontend-stuck'],
    onlyAlerts: ['decode-wedged'],
    why: 'The idle refresh of the gauges shows the evaluator that the loop turns; the rules only look at counters',
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
