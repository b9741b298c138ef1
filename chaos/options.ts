import { parseArgs } from 'node:util';
import { numberIn, OptionFault, readingOptions, wholeNumber } from '../bench/options.ts';
import { GUARDS, type Guard, WORLD_STORES, type WorldStore } from './world/world.ts';

export type CommandLine = {
  minutes: number;
  seed: number;
  stores: readonly WorldStore[];
  faults: string[] | undefined;
  overlap: boolean;
  without: Guard | undefined;
  rate: number;
  json: boolean;
};

const OPTIONS = {
  minutes: { type: 'string', default: '5' },
  seed: { type: 'string' },
  store: { type: 'string', default: 'both' },
  faults: { type: 'string' },
  overlap: { type: 'boolean', default: false },
  without: { type: 'string' },
  rate: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
} as const;
const STORES: Readonly<Record<string, readonly WorldStore[]>> = {
  ...Object.fromEntries(WORLD_STORES.map((store) => [store, [store]])),
  both: ['redis', 'postgres'],
  all: WORLD_STORES,
};
const USAGE = `npm run chaos -- [options]

Injects random faults into an installation of its own under load, and checks that nothing was lost (docs/chaos.md).

  --minutes <n>      the time in which faults are planned; default 5
  --seed <n>         repeats a plan; random by default, and printed
  --store <name>     redis, redis-sentinel, redis-cluster, postgres, both (redis and postgres, the default) or all
  --faults <a,b,…>   only these; a wrong name prints all of them
  --overlap          faults of different parts may overlap
  --without <guard>  a negative control, without sweeps, sentinels or synchronous-commits: it must not balance
  --rate <n>         registrations a second; default 1
  --json             progress to stderr, and one line of JSON per store to stdout`;

const MAX_SEED = 2 ** 32 - 1;

/** Reads the command line. @throws OptionFault that names the option and its valid values. */
export function readCommandLine(args: string[], randomSeed: () => number): CommandLine {
  const { values } = readingOptions(args, () => parseArgs({ args, options: OPTIONS }), USAGE);
  const stores = STORES[values.store];
  if (!stores) throw new OptionFault(`--store takes ${Object.keys(STORES).join(', ')}, not ${values.store}`);
  const without = GUARDS.find((guard) => guard === values.without);
  if (values.without !== without) throw new OptionFault(`--without takes ${GUARDS.join(', ')}, not ${values.without}`);
  return {
    stores,
    minutes: numberIn('minutes', values.minutes, 0.1, 1440),
    seed: values.seed === undefined ? randomSeed() : wholeNumber('seed', values.seed, 0, MAX_SEED),
    faults: values.faults?.split(',').map((name) => name.trim()),
    overlap: values.overlap,
    without,
    rate: numberIn('rate', values.rate, 0.1, 100),
    json: values.json,
  };
}
