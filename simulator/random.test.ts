import { createRandom } from './random';

const draw = (seed: number, count: number): number[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => random.next());
};

describe('createRandom', () => {
  it('repeats its sequence for the same seed and not for another', () => {
    expect(draw(5, 20)).toEqual(draw(5, 20));
    expect(draw(5, 20)).not.toEqual(draw(6, 20));
  });

  it('stays within the bounds that are asked for', () => {
    const random = createRandom(1);
    for (let index = 0; index < 1000; index += 1) {
      expect([3, 4, 5]).toContain(random.integer(3, 5));
      const value = random.between(-1, 1);
      expect(value >= -1 && value < 1).toBe(true);
    }
  });

  it('has the mean that an exponential gap should have', () => {
    const random = createRandom(2);
    const gaps = Array.from({ length: 20_000 }, () => random.exponential(10));
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length).toBeCloseTo(10, 0);
  });

  it('forks a sequence that does not depend on how much the parent was used', () => {
    const parent = createRandom(9);
    const before = parent.fork('traffic').next();
    parent.next();
    expect(parent.fork('traffic').next()).toBe(before);
    expect(parent.fork('other').next()).not.toBe(before);
  });
});
