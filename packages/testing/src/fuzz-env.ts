/** The number of requests of a fuzz test, and its seed: FUZZ_SEED with the seed of a failed run repeats its requests. */
export function fuzzSettings(): { count: number; seed: number } {
  const { FUZZ_COUNT, FUZZ_SEED } = process.env;
  const count = Number(FUZZ_COUNT ?? 3000);
  const seed = FUZZ_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error('FUZZ_COUNT must be how many requests to send');
  if (!Number.isInteger(seed)) throw new Error('FUZZ_SEED must be a whole number: the seed that a run printed');
  return { count, seed };
}
