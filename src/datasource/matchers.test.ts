import { hasVariable, joinMatchers, readMatchers } from './matchers';

describe('readMatchers', () => {
  it.each([
    ['nothing', '  ', ''],
    ['one matcher', 'namespace="prod"', 'namespace="prod"'],
    [
      'all operators, blanks, braces and a trailing comma',
      '{ a = "1",b!="2", c=~"x|y" ,d!~"z", }',
      'a="1", b!="2", c=~"x|y", d!~"z"',
    ],
    ['variables in every notation', 'a=~"$a", b="${b:regex}", c="[[c]]"', 'a=~"$a", b="${b:regex}", c="[[c]]"'],
    ['single quotes and backticks', "a='1', b=~`\\d+`", "a='1', b=~`\\d+`"],
    ['commas, braces and escaped quotes inside a value', 'a="x,\\"{}\\"y"', 'a="x,\\"{}\\"y"'],
    ['a quoted label name', '"k8s.pod"="x"', '"k8s.pod"="x"'],
  ])('accepts %s', (_sentence, text, expected) => {
    expect(readMatchers(text)).toEqual({ ok: true, text: expected });
  });

  it.each([
    ['a value without quotes', 'a=b', 'Put the value of "a" in quotes: a="…".'],
    ['an open quote', 'a="b', 'The quote after a= is not closed.'],
    ['no operator', 'a', 'Expected =, !=, =~ or !~ after "a". Write matchers as namespace="prod", job=~"$job".'],
    [
      'a comparison of numbers',
      'a>"1"',
      'Expected =, !=, =~ or !~ after "a". Write matchers as namespace="prod", job=~"$job".',
    ],
    ['no comma', 'a="1" b="2"', 'Expected a comma at "b="2"".'],
    ['no name', '="1"', 'Expected a label name at "="1"". Write matchers as namespace="prod", job=~"$job".'],
    ['only a comma', ',', 'Expected a label name at ",". Write matchers as namespace="prod", job=~"$job".'],
    [
      'a whole query',
      'sum(up{a="1"})',
      'Expected =, !=, =~ or !~ after "sum". Write matchers as namespace="prod", job=~"$job".',
    ],
    ['an escape from the braces', 'a="1"} or up{b="2"', 'Expected a comma at "} or up{b="2"".'],
    [
      'the metric name',
      '__name__="up"',
      'Leave out __name__: PD Flow chooses the metrics itself. Match on other labels.',
    ],
  ])('refuses %s', (_sentence, text, message) => {
    expect(readMatchers(text)).toEqual({ ok: false, message });
  });

  it('takes long texts in its stride', () => {
    expect(readMatchers(`a="${'\\"'.repeat(200_000)}`).ok).toBe(false);
    expect(readMatchers('a="1",'.repeat(20_000)).ok).toBe(true);
  });
});

describe('joinMatchers', () => {
  it('leaves out what is blank', () => {
    expect(joinMatchers(['', '{a="1"}', ' ', 'b="2",'])).toEqual({ ok: true, text: 'a="1", b="2"' });
  });
  it('reports the first that cannot be read', () => {
    expect(joinMatchers(['a="1"', 'b='])).toMatchObject({ ok: false, message: expect.stringContaining('"b"') });
  });
});

it.each([
  ['$ns', true],
  ['a="${ns}"', true],
  ['a="[[ns]]"', true],
  ['a=~"x$"', false],
  ['', false],
])('%s has a variable: %s', (text, expected) => {
  expect(hasVariable(text)).toBe(expected);
});
