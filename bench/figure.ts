/** One line of a benchmark's result: our figure, against the bare limit measured in the same run. */
export type Figure = {
  name: string;
  ours: number;
  bare: number;
  ratio: number;
  unit: string;
  store?: string;
};

export function figure(name: string, ours: number, bare: number, unit: string): Figure {
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return { name, ours: rounded(ours), bare: rounded(bare), ratio: rounded(ours / bare), unit };
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

/** The samples of a Prometheus text by metric name. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;
type Sample = { labels: Readonly<Record<string, string>>; value: number };

/** Counts of a histogram by upper bound, not cumulative; the last bound is infinite. */
export type Buckets = ReadonlyMap<number, number>;

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** Reads the response of `/metrics`. */
export function parseSamples(text: string): Samples {
  const samples = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const entries = Array.from(labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, key = '', text = '']) => [key, text]);
    const sample = { labels: Object.fromEntries(entries), value: Number(value) };
    samples.set(name, [...(samples.get(name) ?? []), sample]);
  }
  return samples;
}

/** The sum of a metric over all of its labels; 0 if it has no sample. */
export function totalOf(samples: readonly Samples[], name: string): number {
  return samples.flatMap((each) => each.get(name) ?? []).reduce((sum, { value }) => sum + value, 0);
}

/** A histogram over all of its labels and of several processes. */
export function bucketsOf(samples: readonly Samples[], name: string): Buckets {
  const cumulative = new Map<number, number>();
  for (const { labels, value } of samples.flatMap((each) => each.get(`${name}_bucket`) ?? [])) {
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
    cumulative.set(bound, (cumulative.get(bound) ?? 0) + value);
  }
  let before = 0;
  const sorted = [...cumulative].sort(([a], [b]) => a - b);
  return new Map(
    sorted.map(([bound, count]) => {
      const own = count - before;
      before = count;
      return [bound, own];
    }),
  );
}

/** The counts between two readings. */
export function bucketsBetween(before: Buckets, after: Buckets): Buckets {
  return new Map([...after].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)]));
}

/**
 * The value below which a share of the counted ones lies, linear within its bucket; NaN if nothing was counted.
 * @param share 1 gives the upper bound of the highest bucket that is not empty.
 */
export function quantileOf(buckets: Buckets, share: number): number {
  const counted = [...buckets].filter(([, count]) => count > 0);
  const rank = counted.reduce((sum, [, count]) => sum + count, 0) * share;
  const bounds = [...buckets.keys()];
  let below = 0;
  for (const [bound, count] of counted) {
    if (below + count >= rank) {
      const lower = bounds[bounds.indexOf(bound) - 1] ?? 0;
      return Number.isFinite(bound) ? lower + ((rank - below) / count) * (bound - lower) : lower;
    }
    below += count;
  }
  return Number.NaN;
}

/** The value below which a share of the values lies. @throws if there is none */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error('there is no value');
  return value;
}
