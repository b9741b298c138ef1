import { parseArgs } from 'node:util';
import { MAX_IN_A_LOT } from '@pts/sandbox-carrier/journeys/seeded';
import { numberOrZero, OptionFault, readingOptions, wholeNumber } from '../parts/option-values.ts';

export type SeedOptions = {
  trackings: number;
  /** The account's id; null: the only one of the database, or a new one. */
  account: string | null;
  /** The share of checks that find something new. */
  changing: number;
  /** Seconds between two checks of a parcel; null: depends on the account's webhooks. */
  intervalSeconds: number | null;
  allowRemote: boolean;
  allowOtherAccounts: boolean;
};

const SEED_USAGE = `npm run seed -- --trackings 1000000

Registers parcels of the sandbox carrier in bulk, as if they had been tracked for a while.

  --trackings <n>         how many
  --account <id>          whose; default: the only account of the database, or a new one
  --changing <share>      share of checks that find something new, for example 0.01; default 0
  --interval <seconds>    time over which their checks are spread; default: 300 with an enabled webhook, 3600 without
  --allow-remote          also seed a database that is not on this machine
  --allow-other-accounts  also seed a database that has other accounts

The database is that of DATABASE_URL, or of the running \`npm start\`.`;

/** Reads the command line of the seed. @throws OptionFault that names the option and the fix */
export function readSeedOptions(args: string[]): SeedOptions {
  const { values } = readingOptions(
    args,
    () =>
      parseArgs({
        args,
        options: {
          trackings: { type: 'string' },
          account: { type: 'string' },
          changing: { type: 'string', default: '0' },
          interval: { type: 'string' },
          'allow-remote': { type: 'boolean', default: false },
          'allow-other-accounts': { type: 'boolean', default: false },
        },
      }),
    SEED_USAGE,
  );
  if (values.trackings === undefined) throw new OptionFault(`--trackings is missing: how many?\n\n${SEED_USAGE}`);
  if (values.account !== undefined && !/^[0-9a-f]{24}$/.test(values.account))
    throw new OptionFault(`--account must be the id of an account (24 hex digits), not "${values.account}"`);
  return {
    trackings: wholeNumber('trackings', values.trackings, 1, MAX_IN_A_LOT),
    account: values.account ?? null,
    changing: numberOrZero('changing', values.changing, 0.001, 1),
    intervalSeconds: values.interval === undefined ? null : wholeNumber('interval', values.interval, 1, 86_400),
    allowRemote: values['allow-remote'],
    allowOtherAccounts: values['allow-other-accounts'],
  };
}
