/** Runs something so many times, with its index. */
export function repeat(count: number, run: (index: number) => void): void {
  for (let index = 0; index < count; index += 1) {
    run(index);
  }
}
