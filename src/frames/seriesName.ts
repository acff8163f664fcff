import type { RawSeries } from '../pipeline/model';

type Labels = RawSeries['labels'];

/** Families that the pipeline is read from; anything else in a legend is a name given by a person. */
const FAMILY = /^(sglang[:_]|smg_|sgl_router_|pdflow_)[a-zA-Z0-9_:]+$/;
const BARE_FAMILY_WITH_LABELS = /^(up|process_start_time_seconds)$/;
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)="([^"\\]*(?:\\.[^"\\]*)*)"\s*(,|$)/y;

/**
 * Reads a Prometheus legend such as `sglang:num_running_reqs{instance="d:30002"}` into its label set with `__name__`.
 * `undefined` when the text is not one of our families or its braces do not parse. Linear in the length of the text.
 */
export function readSeriesName(text: string | undefined): Labels | undefined {
  const trimmed = (text ?? '').trim();
  const brace = trimmed.indexOf('{');
  const name = brace < 0 ? trimmed : trimmed.slice(0, brace);
  if (!FAMILY.test(name) && !(brace > 0 && BARE_FAMILY_WITH_LABELS.test(name))) {
    return undefined;
  }
  if (brace < 0) {
    return { __name__: name };
  }
  const labels = trimmed.endsWith('}') ? readLabels(trimmed.slice(brace + 1, -1)) : undefined;
  return labels && { ...labels, __name__: name };
}

function readLabels(text: string): Labels | undefined {
  const entries: Array<[string, string]> = [];
  LABEL.lastIndex = 0;
  let end = 0;
  while (end < text.length) {
    const match = LABEL.exec(text);
    if (!match) {
      return text.slice(end).trim() === '' ? Object.fromEntries(entries) : undefined;
    }
    entries.push([match[1] ?? '', unescape(match[2] ?? '')]);
    end = LABEL.lastIndex;
  }
  return Object.fromEntries(entries);
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
}

/** The label set as Prometheus writes it: name first, then labels in alphabetical order. */
export function encodeSeriesName(labels: Labels): string {
  const { __name__: name = '', ...rest } = labels;
  const inner = Object.entries(rest)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return inner.length === 0 ? name : `${name}{${inner.join(', ')}}`;
}
