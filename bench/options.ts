import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';

/**
 * `slots`: regular work. `pause`: each check has a time of its own, and all are due, as after ten minutes in which the
 * provider was paused. `import`: regular work while others are registered.
 */
const START_STATES = ['slots', 'pause', 'import'] as const;
type StartState = (typeof START_STATES)[number];

/** The command-line options of the long runs. */
export type BenchOptions = {
  /** Parcels of `engine` that are seeded, unless the database has as many. */
  parcels: number;
  /** How long `engine` measures. */
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
  /** The state in which `engine` begins. */
  from: StartState;
  /** Parcels that `engine` registers at its start, as fast as the API takes them. */
  imported: number;
  /** The servers for `engine`, instead of its own. */
  databaseUrl: string | null;
  redisUrl: string | null;
  encryptionKey: string;
};

type BenchArguments = { names: string[]; json: boolean; options: BenchOptions };

const MAX_PARCELS = 1_000_000_000;
const MAX_RATE = 100_000;
/** For databases that exist for a benchmark only. */
const NO_SECRET = createHash('sha256').update('benchmark').digest('base64');

function usage(names: readonly string[]): string {
  return `npm run bench -- [names] [options]

Names: ${names.join(', ')}; without any, all but engine.

  --json             one JSON object a figure
  --parcels <n>      engine: how many are polled; default 10000
  --minutes <n>      engine: how long it measures; default 5
  --changing <share> engine: share of checks that find something new; default 0.01
  --pollers <n>      engine: processes; default 1
  --interval <s>     engine: seconds between two checks of a parcel; default 300
  --attempts <n>     engine: delivery attempts of the last month, dropped at the end; default 0
  --registrations <n>, --deliveries <n>  engine: this many per second, in addition to the checks; default 0
  --store <name>     engine: redis (default) or postgres
  --from <state>     engine: slots (default), pause (each check has a time of its own, all due since ten minutes
                     ago) or import (registers others meanwhile: --import <n>, default 200000)

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
  return {
    names: chosen.length === 0 ? [...known.byDefault] : chosen,
    json: values.json,
    options: {
      parcels: wholeNumber('parcels', values.parcels, 1, MAX_PARCELS),
      minutes: wholeNumber('minutes', values.minutes, 1, 10_000),
      changing: numberOrZero('changing', values.changing, 0.001, 1),
      pollers: wholeNumber('pollers', values.pollers, 1, 100),
      intervalSeconds: wholeNumber('interval', values.interval, 60, 86_400),
      attempts: wholeNumber('attempts', values.attempts, 0, MAX_PARCELS),
      registrations: wholeNumber('registrations', values.registrations, 0, MAX_RATE),
      deliveries: wholeNumber('deliveries', values.deliveries, 0, MAX_RATE),
      store,
      from,
      imported: from === 'import' ? wholeNumber('import', values.import, 1, MAX_PARCELS) : 0,
      databaseUrl: env.DATABASE_URL?.trim() || null,
      redisUrl: env.REDIS_URL?.trim() || null,
      encryptionKey: env.ENCRYPTION_KEY?.trim() || NO_SECRET,
    },
  };
}

/** A fault of the command line, for the user: shown without a stack. */
export class OptionFault extends Error {
  override readonly name: string = 'OptionFault';
}

/** The user asked for help: the message is the usage. */
export class HelpRequested extends OptionFault {
  override readonly name = 'HelpRequested';
}

/** Prints a fault of the command line, or the help that was asked for. @returns the exit code */
export function explainOptions(fault: OptionFault): number {
  const isHelp = fault instanceof HelpRequested;
  (isHelp ? process.stdout : process.stderr).write(`${fault.message}\n`);
  return isHelp ? 0 : 1;
}

/** The whole number of an option. @throws OptionFault that names the option and its valid values */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new OptionFault(`--${option} must be a whole number from ${min} to ${max}, not "${text}"`);
}

/** The number of an option. @throws OptionFault */
export function numberIn(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= min && value <= max) return value;
  throw new OptionFault(`--${option} must be a number from ${min} to ${max}, not "${text}"`);
}

/** The number of an option, 0 or from `min` to `max`. @throws OptionFault */
export function numberOrZero(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && (value === 0 || (value >= min && value <= max))) return value;
  throw new OptionFault(`--${option} must be 0 or a number from ${min} to ${max}, not "${text}"`);
}

/**
 * Returns the result of `read`; the faults that Node finds in a command line are the user's, too.
 * @throws OptionFault, and HelpRequested for `--help`.
 */
export function readingOptions<T>(args: readonly string[], read: () => T, usage: string): T {
  if (args.includes('--help') || args.includes('-h')) throw new HelpRequested(usage);
  try {
    return read();
  } catch (error) {
    if (!isParseFault(error)) throw error;
    throw new OptionFault(`${error.message}\n\n${usage}`);
  }
}

function isParseFault(error: unknown): error is { message: string } {
  return (
    typeof error === 'object' && error !== null && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}
