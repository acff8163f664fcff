/** Label matchers that can be put between the braces of a PromQL selector, or why not. */
export type MatchersCheck =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

const NAME = /\s*([a-zA-Z_][a-zA-Z0-9_]*|"[^"\\]+(?:\\.[^"\\]*)*")\s*/y;
const OPERATOR = /(=~|!~|!=|=)\s*/y;
const VALUE = /("[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|`[^`]*`)\s*/y;
const SEPARATOR = /,\s*|$/y;
const EXAMPLE = 'namespace="prod", job=~"$job"';

/**
 * Reads matchers such as `namespace="prod", job=~"$job"`, with or without braces. Values may hold variables in any
 * notation; they are passed on as they are, because only the Prometheus data source knows how to format them.
 */
export function readMatchers(input: string): MatchersCheck {
  const text = input
    .trim()
    .replace(/^\{([^]*)\}$/, '$1')
    .trim();
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const part = readMatcher(text, at);
    if (typeof part === 'string') {
      return { ok: false, message: part };
    }
    parts.push(part.text);
    at = part.end;
  }
  return { ok: true, text: parts.join(', ') };
}

/** Several texts as one list of matchers; the first that cannot be read decides. */
export function joinMatchers(inputs: readonly string[]): MatchersCheck {
  const checks = inputs.map(readMatchers);
  const failed = checks.find((check) => !check.ok);
  const texts = checks.flatMap((check) => (check.ok && check.text !== '' ? [check.text] : []));
  return failed ?? { ok: true, text: texts.join(', ') };
}

/** Whether the text holds a dashboard variable, which has no value outside of dashboards and Explore. */
export function hasVariable(text: string): boolean {
  return /\$\w|\$\{|\[\[/.test(text);
}

/** One matcher from position `at` on, with the comma after it; a text is the complaint. */
function readMatcher(text: string, at: number): { text: string; end: number } | string {
  const name = match(NAME, text, at);
  if (!name) {
    return `Expected a label name at ${quote(text, at)}. Write matchers as ${EXAMPLE}.`;
  }
  if (name.value === '__name__') {
    return 'Leave out __name__: PD Flow chooses the metrics itself. Match on other labels.';
  }
  const operator = match(OPERATOR, text, name.end);
  if (!operator) {
    return `Expected =, !=, =~ or !~ after "${name.value}". Write matchers as ${EXAMPLE}.`;
  }
  const value = match(VALUE, text, operator.end);
  if (!value) {
    return /["'`]/.test(text.charAt(operator.end))
      ? `The quote after ${name.value}${operator.value} is not closed.`
      : `Put the value of "${name.value}" in quotes: ${name.value}${operator.value}"…".`;
  }
  const separator = match(SEPARATOR, text, value.end);
  if (!separator) {
    return `Expected a comma at ${quote(text, value.end)}.`;
  }
  return { text: `${name.value}${operator.value}${value.value}`, end: separator.end };
}

function match(pattern: RegExp, text: string, at: number): { value: string; end: number } | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found ? { value: found[1] ?? '', end: pattern.lastIndex } : undefined;
}

function quote(text: string, at: number): string {
  return at < text.length ? `"${text.slice(at, at + 20)}"` : 'the end';
}
