import { parseArgs } from 'node:util';
import type { Db } from '@pts/db/connection';
import { MAX_IN_A_LOT } from '@pts/sandbox-carrier/stories';
import { createAccount } from '@pts/service/accounts';
import { numberOrZero, OptionFault, readingOptions, wholeNumber } from '../options.ts';

type SeedOptions = {
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

const LOCAL_HOSTS = ['127.0.0.1', 'localhost', '[::1]', ''];
/** Intervals of the service by default (`CHECK_INTERVAL_SECONDS`, `IDLE_CHECK_INTERVAL_SECONDS`). */
const MONITORED_SECONDS = 300;
const IDLE_SECONDS = 3600;

/** @throws OptionFault unless the database is on this machine or `--allow-remote` was given */
export function checkIsLocal(databaseUrl: string, { allowRemote }: Pick<SeedOptions, 'allowRemote'>): void {
  if (!URL.canParse(databaseUrl))
    throw new OptionFault('DATABASE_URL must have the form postgresql://user:password@host:port/database');
  const { hostname } = new URL(databaseUrl);
  if (allowRemote || LOCAL_HOSTS.includes(hostname)) return;
  throw new OptionFault(
    `The database of DATABASE_URL is on ${hostname}, not on this machine. Seeded parcels are not real: if that database may have them, add --allow-remote.`,
  );
}

/**
 * The account to seed and the seconds between checks of its parcels.
 * @throws OptionFault if the account is not known, or others have parcels of their own here and were not allowed
 */
export async function chooseAccount(
  db: Db,
  options: Pick<SeedOptions, 'account' | 'allowOtherAccounts' | 'intervalSeconds'>,
  now: Date,
): Promise<{ accountId: string; intervalSeconds: number; isNew: boolean }> {
  const { account, allowOtherAccounts, intervalSeconds } = options;
  const [first, second] = await db.account.findMany({ select: { id: true }, orderBy: { createdAt: 'asc' }, take: 2 });
  const known =
    account === null ? first : await db.account.findUnique({ where: { id: account }, select: { id: true } });
  if (account === null && second)
    throw new OptionFault('The database has several accounts: choose one with --account.');
  if (account !== null && !known)
    throw new OptionFault(`--account ${account}: there is no such account; npm run admin -- accounts list shows them.`);
  if (second && !allowOtherAccounts)
    throw new OptionFault(
      'The database has other accounts. Seeded parcels take its space and time: if they may, add --allow-other-accounts.',
    );
  const accountId = known?.id ?? (await newAccount(db, now));
  const isMonitored = (await db.webhook.count({ where: { accountId, enabled: true } })) > 0;
  return {
    accountId,
    intervalSeconds: intervalSeconds ?? (isMonitored ? MONITORED_SECONDS : IDLE_SECONDS),
    isNew: !known,
  };
}

async function newAccount(db: Db, now: Date): Promise<string> {
  const { account } = await createAccount({ db, now: () => now }, { name: 'seed', plan: 'enterprise' });
  return account.id;
}
