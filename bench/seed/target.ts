import type { Db } from '@pts/db/connection/client';
import { createAccount } from '@pts/service/accounts/create';
import { OptionFault } from '../parts/option-values.ts';
import type { SeedOptions } from './options.ts';

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
