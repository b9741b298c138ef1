import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { numberOrZero, OptionFault, readingOptions, wholeNumber } from './parts/option-values.ts';

/**
 * `slots`: regular work. `upgrade`: each check has a time of its own, spread over the interval. `pause`:
 * the same after ten minutes in which the provider was paused, so that all are due. `import`: regular work while others are registered.
 */
const START_STATES = ['slots', 'upgrade', 'pause', 'import'] as const;
export type StartState = (typeof START_STATES)[number];

/** The command-line options of the long runs. */
export type BenchOptions = {
  /** Parcels of `engine` that are seeded, unless the database has as many. */
  parcels: number;
  /** How long `engine` and `provider-outage` measure. */
  minutes: number;
  /** Share of checks that find something new. */
  changing: number;
  pollers: number;
  /** Between two checks of a parcel of `engine`. */
  intervalSeconds: number;
  /** Attempts of the last month that `engine` has from the start, and drops at the end. */
  attempts: number;
  /** Requests and events per second, in addition to the checks. */
  registrations: number;
  deliveries: number;
  store: 'redis' | 'postgres';
  /** The stores on which `import` runs, one after the other. */
  stores: ('redis' | 'postgres')[];
  /** The state in which `engine` begins. */
  from: StartState;
  /** Parcels that `engine` registers at its start, as fast as the API takes them. */
  imported: number;
  /** Parcels whose index `migrate` builds. */
  rows: number;
  /** Parcels of the account whose console `pages` shows. */
  shipments: number;
  /** The parcels of each round of `growth`. */
  sizes: number[];
  /** The servers for `engine`, instead of its own. */
  databaseUrl: string | null;
  redisUrl: string | null;
  encryptionKey: string;
};

export type BenchArguments = { names: string[]; json: boolean; plot: boolean; options: BenchOptions };

const MAX_PARCELS = 1_000_000_000;
const MAX_RATE = 100_000;
/** For databases that exist for a benchmark only. */
const NO_SECRET = createHash('sha256').update('benchmark').digest('base64');

function usage(names: readonly string[]): string {
  return `npm run bench -- [names] [options]

Names: ${names.join(', ')}; without any, all but cells, citus, engine, growth, migrate, pages,
provider-outage and scale.

  --json             one JSON object a figure
  --plot             also writes docs/benchmarks/<name>.svg
  --sizes <n,n,…>    growth: parcels of each round; default 10000,100000,1000000,3000000
  --rows <n>         migrate: parcels whose index is built; default 10000000, with 45 GB of disk
  --shipments <n>    pages: parcels of the account; default 1000000
  --parcels <n>      engine: how many are polled; default 10000
  --minutes <n>      engine, provider-outage: how long they measure; default 5
  --changing <share> engine: share of checks that find something new; default 0.01
  --pollers <n>      engine: processes; default 1
  --interval <s>     engine: seconds between two checks of a parcel; default 300
  --attempts <n>     engine: delivery attempts of the last month, dropped at the end; default 0
  --registrations <n>, --deliveries <n>  engine: this many per second, in addition to the checks; default 0
  --store <name>     engine: redis (default) or postgres; import: only this one
  --from <state>     engine: slots (default), upgrade (each check has a time of its own), pause (the same, all
                     due since ten minutes ago) or import (registers others meanwhile: --import <n>, default 200000)

engine uses the servers of DATABASE_URL and REDIS_URL, with ENCRYPTION_KEY, or starts its own.`;
}

/** Reads the command line of the benchmarks. @throws OptionFault that names the option and the fix */
export function readBenchArguments(
  args: string[],
  env: Readonly<Record<string, string | undefined>>,
  known: { all: readonly string[]; byDefault: readonly string[] },
): BenchArguments {
  const text = { type: 'string' } as const;
  const { values, positionals } = readingOptions(
    args,
    () =>
      parseArgs({
        args,
        allowPositionals: true,
        options: {
          only: text,
          json: { type: 'boolean', default: false },
          plot: { type: 'boolean', default: false },
          sizes: { ...text, default: '10000,100000,1000000,3000000' },
          rows: { ...text, default: '10000000' },
          shipments: { ...text, default: '1000000' },
          parcels: { ...text, default: '10000' },
          minutes: { ...text, default: '5' },
          changing: { ...text, default: '0.01' },
          pollers: { ...text, default: '1' },
          interval: { ...text, default: '300' },
          attempts: { ...text, default: '0' },
          registrations: { ...text, default: '0' },
          deliveries: { ...text, default: '0' },
          store: text,
          from: { ...text, default: 'slots' },
          import: { ...text, default: '200000' },
        },
      }),
    usage(known.all),
  );
  const chosen = [...positionals, ...(values.only?.split(',') ?? [])];
  const unknown = chosen.find((name) => !known.all.includes(name));
  if (unknown !== undefined) throw new OptionFault(`there is no benchmark ${unknown}: ${known.all.join(', ')}`);
  const { store = 'redis' } = values;
  if (store !== 'redis' && store !== 'postgres')
    throw new OptionFault(`--store must be redis or postgres, not "${store}"`);
  const from = START_STATES.find((state) => state === values.from);
  if (from === undefined)
    throw new OptionFault(`--from must be one of ${START_STATES.join(', ')}, not "${values.from}"`);
  const sizes = values.sizes.split(',').map((size) => wholeNumber('sizes', size.trim(), 1000, MAX_PARCELS));
  if (sizes.length < 2) throw new OptionFault('--sizes must list two sizes at least: growth compares them');
  return {
    names: chosen.length === 0 ? [...known.byDefault] : chosen,
    json: values.json,
    plot: values.plot,
    options: {
      rows: wholeNumber('rows', values.rows, 1000, MAX_PARCELS),
      shipments: wholeNumber('shipments', values.shipments, 1000, MAX_PARCELS),
      parcels: wholeNumber('parcels', values.parcels, 1, MAX_PARCELS),
      minutes: wholeNumber('minutes', values.minutes, 1, 10_000),
      changing: numberOrZero('changing', values.changing, 0.001, 1),
      pollers: wholeNumber('pollers', values.pollers, 1, 100),
      intervalSeconds: wholeNumber('interval', values.interval, 60, 86_400),
      attempts: wholeNumber('attempts', values.attempts, 0, MAX_PARCELS),
      registrations: wholeNumber('registrations', values.registrations, 0, MAX_RATE),
      deliveries: wholeNumber('deliveries', values.deliveries, 0, MAX_RATE),
      store,
      stores: values.store === undefined ? ['redis', 'postgres'] : [store],
      from,
      imported: from === 'import' ? wholeNumber('import', values.import, 1, MAX_PARCELS) : 0,
      sizes: sizes.toSorted((a, b) => a - b),
      databaseUrl: env.DATABASE_URL?.trim() || null,
      redisUrl: env.REDIS_URL?.trim() || null,
      encryptionKey: env.ENCRYPTION_KEY?.trim() || NO_SECRET,
    },
  };
}
