import { Simulation } from './simulation';

describe('Simulation', () => {
  it('runs events in order of time, and in order of scheduling within an instant', () => {
    const simulation = new Simulation(100);
    const seen: string[] = [];
    const note = (name: string) => (): void => void seen.push(`${name}@${simulation.nowMs}`);
    simulation.at(130, note('c'));
    simulation.at(110, note('a'));
    simulation.at(120, note('b1'));
    simulation.after(20, note('b2'));
    simulation.at(140, note('late'));
    simulation.runUntil(130);
    expect(seen).toEqual(['a@110', 'b1@120', 'b2@120', 'c@130']);
    expect(simulation.nowMs).toBe(130);
  });

  it('runs what an event schedules within the same stretch, and a past instant at once', () => {
    const simulation = new Simulation(0);
    const seen: number[] = [];
    simulation.at(10, () => simulation.at(5, () => seen.push(simulation.nowMs)));
    simulation.runUntil(50);
    expect(seen).toEqual([10]);
    expect(simulation.nowMs).toBe(50);
  });

  it('keeps a long random queue sorted', () => {
    const simulation = new Simulation(0);
    const seen: number[] = [];
    for (let index = 0; index < 500; index += 1) {
      simulation.at((index * 7919) % 1000, () => seen.push(simulation.nowMs));
    }
    simulation.runUntil(1000);
    expect(seen).toHaveLength(500);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });
});
