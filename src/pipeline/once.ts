/** Asks once for each object, however often it is asked; for questions whose answer depends on that object alone. */
export function once<K extends object, T>(ask: (key: K) => T): (key: K) => T {
  const known = new WeakMap<K, { readonly answer: T }>();
  return (key) => {
    const found = known.get(key) ?? { answer: ask(key) };
    known.set(key, found);
    return found.answer;
  };
}

/** The same for numbers: instants, or indices of scrapes. */
export function each<T>(ask: (n: number) => T): (n: number) => T {
  const known = new Map<number, { readonly answer: T }>();
  return (n) => {
    const found = known.get(n) ?? { answer: ask(n) };
    known.set(n, found);
    return found.answer;
  };
}
