import { block, table, WIDTH } from './block';

describe('block', () => {
  it('labels the first line only', () => {
    expect(block('Why', ['one', undefined, 'two'])).toEqual(['Why             one', '                two']);
  });

  it('is nothing without paragraphs', () => {
    expect(block('Why', [])).toEqual([]);
    expect(block('Why', [undefined])).toEqual([]);
  });

  it('goes on below the text of a row, and never beyond the width', () => {
    const lines = block('Ruled out', table([['Zombies', 'word '.repeat(30)]]));
    expect(lines.map((line) => line.slice(0, 29))).toEqual([
      'Ruled out       Zombies  word',
      '                         word',
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(WIDTH);
  });
});
