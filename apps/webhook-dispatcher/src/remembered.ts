/** Keeps the results of a pure function, the `most` newest of them. */
export function remembered(most: number, compute: (input: string) => string): (input: string) => string {
  const known = new Map<string, string>();
  return (input) => {
    const kept = known.get(input);
    if (kept !== undefined) return kept;
    const result = compute(input);
    known.set(input, result);
    if (known.size > most) known.delete(known.keys().next().value ?? '');
    return result;
  };
}
