import { fitLine, fitSize, plainText, textWidth, wrapText } from './text';

const BODY = { size: 12 };

describe('text without a browser', () => {
  it('knows narrow from wide glyphs', () => {
    expect(textWidth('iiii', BODY)).toBeLessThan(textWidth('mmmm', BODY) / 3);
    expect(textWidth('漢字', BODY)).toBeGreaterThan(24);
    expect(textWidth('🔥', BODY)).toBeGreaterThan(12);
  });

  it('has figures of equal width, so that numbers do not dance', () => {
    expect(textWidth('1111', BODY)).toBe(textWidth('8080', BODY));
  });

  it('leaves what fits as it is and cuts the rest with an ellipsis', () => {
    expect(fitLine('waiting', 100, BODY)).toBe('waiting');
    const cut = fitLine('waiting on KV transfer', 80, BODY);
    expect(cut).toMatch(/^waiting on.*…$/);
    expect(textWidth(cut, BODY)).toBeLessThanOrEqual(80);
  });

  it('reads no more of ten kilobytes than it shows', () => {
    expect(fitLine('x'.repeat(10_000), 100, BODY).length).toBeLessThan(20);
    expect(wrapText('x'.repeat(10_000), { width: 100, maxLines: 2 }, BODY)).toHaveLength(2);
  });

  it('gives no text where there is no room', () => {
    expect(fitLine('text', 0, BODY)).toBe('…');
    expect(fitLine('', 0, BODY)).toBe('');
  });

  it('breaks at spaces and never drops a word but at the end', () => {
    const lines = wrapText('Prefill hands over, decode has concluded no transfer', { width: 150, maxLines: 9 }, BODY);
    expect(lines.join(' ')).toBe('Prefill hands over, decode has concluded no transfer');
    expect(lines.every((line) => textWidth(line, BODY) <= 150)).toBe(true);
  });

  it.each([
    ['stalled for 10 m 42 s', 'stalled for'],
    ['stalled for 3 d 4 h', 'stalled for'],
  ])('keeps a duration on one line: %s', (text, first) => {
    const width = textWidth(text, BODY) - 2;
    expect(wrapText(text, { width, maxLines: 2 }, BODY)[0]).toBe(first);
  });

  it('takes out what would turn or break the line', () => {
    expect(plainText('a\u202eb\u0000c\nd')).toBe('a b c d');
  });

  it('chooses the largest type that fits, and the smallest with an ellipsis when none does', () => {
    const box = { width: 200, height: 48 };
    expect(fitSize('Idle', box, [34, 20, 14])).toEqual({ size: 34, lines: ['Idle'] });
    const long = fitSize('word '.repeat(200), box, [34, 20, 14]);
    expect(long.size).toBe(14);
    expect(long.lines).toHaveLength(2);
    expect(long.lines[1]).toMatch(/…$/);
  });
});
