/** Progressing scrapes over which a standing depth is taken for leaked bookkeeping. */
const FLOOR_SCRAPES = 12;

/** Learns the depth that a stage does not fall below although requests flow through it. */
export class Floor {
  private readonly recent: number[] = [];

  see(depth: number): void {
    this.recent.push(depth);
    if (this.recent.length > FLOOR_SCRAPES) {
      this.recent.shift();
    }
  }

  forget(): void {
    this.recent.length = 0;
  }

  /** A leak stands still, so the lowest depth is also a frequent one; a busy queue touches its lowest depth rarely. */
  value(): number {
    const lowest = Math.min(...this.recent);
    const often = this.recent.filter((d) => d === lowest).length;
    return this.recent.length >= FLOOR_SCRAPES && often >= FLOOR_SCRAPES / 4 ? Math.max(0, lowest) : 0;
  }
}
