export const HELP = `Names the stalled stage of a prefill/decode deployment, from the series that Prometheus has of it.

  npm run diagnose -- --prometheus URL [options]

  --prometheus URL     Prometheus or what speaks its API; user:password@ before the host is sent as basic auth
  --at TIME            judge this instant: RFC 3339, such as 2026-09-14T20:48:45Z, or Unix seconds (default now)
  --range DURATION     how far to look back (default 30m)
  --step DURATION      spacing of the samples; raised where the range would exceed 11,000 of them (default 5s)
  --match '{…}'        label matchers, such as '{namespace="prod"}', where Prometheus holds several deployments
  --role-label NAME    label that tells prefill from decode, where engine_type does not (SGLang before 0.5.9)
  --prefill REGEX      values of that label on prefill engines, matched in full
  --decode REGEX       values of that label on decode engines, matched in full
  --sglang-version V   the SGLang release of all engines, such as 0.5.9, where their series do not tell it
  --header 'N: value'  sent with every query, such as 'Authorization: Bearer …'; may be given several times
  --json               for machines: times in UTC, what is not known is null
  --help               this text

Exit code: 0 healthy or idle, 2 a fault, 3 unknown, 1 wrong use or no answer from Prometheus.
Notes and warnings go to standard error.
`;
