/** One line of a benchmark's result: our figure, against the bare limit measured in the same run. */
export type Figure = {
  name: string;
  ours: number;
  bare: number;
  ratio: number;
  unit: string;
  store?: string;
};

export function figure(name: string, ours: number, bare: number, unit: string, store?: string): Figure {
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return {
    name,
    ours: rounded(ours),
    bare: rounded(bare),
    ratio: rounded(ours / bare),
    unit,
    ...(store ? { store } : {}),
  };
}

/** Runs `work` for each of `count` numbers, `width` at once. @returns how many per second. */
export async function perSecond(count: number, width: number, work: (index: number) => Promise<void>): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return count / ((performance.now() - startedAt) / 1000);
}

/** One figure as a line. */
export function readable({ name, ours, bare, ratio, unit, store = '' }: Figure): string {
  // A figure without a limit to compare with has no ratio.
  const compared = Number.isFinite(ratio) ? `, bare ${bare}, ratio ${ratio}` : '';
  return `${`${name} ${store}`.padEnd(18)} ${ours} ${unit}${compared}`;
}
