import { columnsOf, plain, wrap } from './plain';

describe('plain', () => {
  it.each([
    ['an escape sequence', 'a\u001b[31mb', 'a [31mb'],
    ['an 8-bit escape', 'a\u009b31mb', 'a 31mb'],
    ['line breaks, so that no line can be forged', 'a\r\nOK b\u2028c', 'a OK b c'],
    ['marks that turn the direction', 'a\u202eb\u2066c', 'a b c'],
    ['what is harmless', 'ä 漢字 🔥 "x" <b>', 'ä 漢字 🔥 "x" <b>'],
  ])('%s', (_sentence, text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  it('cuts what is longer than any real name', () => {
    expect(plain('x'.repeat(10_000))).toBe(`${'x'.repeat(599)}…`);
    expect([...plain('🔥'.repeat(10_000))]).toHaveLength(600);
  });
});

describe('wrap', () => {
  it.each([
    ['at spaces', 'one two three', 7, ['one two', 'three']],
    ['inside a word that is longer', 'a bcdefgh', 3, ['a', 'bcd', 'efg', 'h']],
    ['not inside a duration', 'for 10 m 42 s now', 9, ['for', '10 m 42 s', 'now']],
    ['wide signs take two columns', '漢字漢字', 4, ['漢字', '漢字']],
    ['nothing', '  ', 4, []],
  ])('%s', (_sentence, text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });
});

it('counts columns', () => {
  expect(columnsOf('a漢🔥…')).toBe(6);
});
