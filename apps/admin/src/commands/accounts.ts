import { CommandError, chosen, UsageError, wholeNumber } from '@pts/client/cli/kit';
import { MAX_UNITS, PLANS, type Plan, quotaLimit } from '@pts/core/account';
import { columns, counted } from '@pts/core/terminal';
import { toUtcSeconds } from '@pts/core/time';
import { type Account, findAccount, type ListedAccount, listAccounts, listKeys } from '@pts/db/accounts/accounts';
import {
  type Copied,
  copyAccount,
  countAccountRows,
  countUnfinished,
  eraseAccount,
  exportAccount,
} from '@pts/db/accounts/personal-data';
import type { Db } from '@pts/db/connection';
import { isOneDatabase } from '@pts/db/diagnosis';
import { keyFits } from '@pts/db/readiness';
import { createKeyring, type Keyring } from '@pts/runtime/encryption/keyring';
import { installationTokenKeys, packTokenKeys } from '@pts/runtime/encryption/tokens';
import { loadConfig } from '@pts/runtime/settings/config';
import {
  changeAccount,
  correctQuota,
  createAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  getAccount,
  readQuota,
  viewAccount,
} from '@pts/service/accounts';
import { transitOf } from '@pts/service/stats';
import { type Command, type Report, table } from '../command.ts';
import { type DatabaseDeps, databaseCommand, withDatabaseAt } from '../installation.ts';
import { keyTable, newKeyRows, SHOWN_ONCE, viewKey, viewNewKey } from './keys.ts';

const accountsCreate = databaseCommand({
  name: 'accounts create',
  audited: 'after',
  personal: ['name'],
  takes: [],
  options: {
    name: { value: 'NAME', about: 'name of the account', isRequired: true },
    plan: { value: 'PLAN', about: 'the plan (default: free)', choices: PLANS },
    quota: { value: 'N', about: 'monthly quota that replaces the quota of the plan' },
  },
  about: 'Create an account and its first API key. The key is shown only once.',
  async run(deps, { name, plan = 'free', quota }) {
    const { quotas } = deps;
    const { account, key } = await createAccount(deps, {
      name,
      plan,
      quotaOverride: quota === undefined ? null : readUnits(quota),
    });
    return {
      lines: [...columns([...accountRows(account, quotas), ...newKeyRows(key)]), '', SHOWN_ONCE],
      json: { account: viewAccount(account, quotas), key: viewNewKey(key) },
      accountIds: [account.id],
    };
  },
});

const accountsList = databaseCommand({
  name: 'accounts list',
  takes: [],
  options: {},
  about: 'List all accounts, oldest first.',
  async run({ db, quotas }) {
    const accounts = await allAccounts(db);
    const json = accounts.map((account) => viewAccount(account, quotas));
    const rows = accounts.map((account) => {
      const { id, name, plan, status, created_at } = viewAccount(account, quotas);
      return [id, name, plan, describeQuota(account, quotas), status, created_at];
    });
    return {
      lines: table(['ID', 'NAME', 'PLAN', 'UNITS PER MONTH', 'STATUS', 'CREATED'], rows, 'There are no accounts.'),
      json: { accounts: json },
    };
  },
});

const PAGE = 1000;

async function allAccounts(db: Db): Promise<ListedAccount[]> {
  const accounts: ListedAccount[] = [];
  for (;;) {
    const page = await listAccounts(db, { after: accounts.at(-1)?.id, limit: PAGE });
    accounts.push(...page);
    if (page.length < PAGE) return accounts;
  }
}

const accountsShow = databaseCommand({
  name: 'accounts show',
  takes: ['id'],
  options: {},
  about: "Show the plan, this month's quota and the keys of an account.",
  async run(deps, { id }) {
    const { db, quotas } = deps;
    const account = await getAccount(db, id);
    const { used, remaining, resetsAt } = await readQuota(deps, account);
    const resets = toUtcSeconds(resetsAt);
    const keys = await listKeys(db, id, { withRevoked: true });
    const rows = [...accountRows(account, quotas), ['Used', `${used}, ${remaining} left until ${resets}`]];
    return {
      lines: [...columns(rows), '', ...columns(keyTable(keys))],
      json: {
        account: {
          ...viewAccount(account, quotas),
          quota_used: used,
          quota_remaining: remaining,
          resets_at: resets,
        },
        keys: keys.map(viewKey),
      },
    };
  },
});

const accountsDisable = databaseCommand({
  name: 'accounts disable',
  audited: 'after',
  takes: ['id'],
  options: {},
  about: 'Disable an account. Its keys are rejected within a second.',
  async run(deps, { id }) {
    const account = await disableAccount(deps, id);
    return changed(deps, account, 'is disabled. Its API keys are rejected. Its parcels are still checked and pushed.');
  },
});

const accountsEnable = databaseCommand({
  name: 'accounts enable',
  audited: 'after',
  takes: ['id'],
  options: {},
  about: 'Enable a disabled account. Its keys are accepted again.',
  async run(deps, { id }) {
    return changed(deps, await enableAccount(deps.db, id), 'is enabled. Its API keys are accepted.');
  },
});

const accountsSetPlan = databaseCommand({
  name: 'accounts set-plan',
  audited: 'after',
  takes: ['id', 'plan'],
  options: {},
  about: 'Set the plan of an account: free, pro or enterprise.',
  async run(deps, { id, plan }) {
    const account = await changeAccount(deps.db, id, { plan: chosen('PLAN', plan, PLANS) });
    const quota = describeQuota(account, deps.quotas);
    return changed(deps, account, `is on the plan ${account.plan}, with ${quota} units per month.`);
  },
});

const accountsSetQuota = databaseCommand({
  name: 'accounts set-quota',
  audited: 'after',
  takes: ['id', 'units'],
  options: {},
  about: 'Set the monthly quota of an account. `plan` restores the quota of its plan.',
  async run(deps, { id, units }) {
    const account = await changeAccount(deps.db, id, { quotaOverride: units === 'plan' ? null : readUnits(units) });
    return changed(deps, account, `has ${describeQuota(account, deps.quotas)} units per month.`);
  },
});

/** An account that was changed: what happened to it, in words, and how it is now. */
function changed({ quotas }: DatabaseDeps, account: ListedAccount, what: string): Report {
  return { lines: [`${account.name} (${account.id}) ${what}`], json: { account: viewAccount(account, quotas) } };
}

const accountsCorrectQuota = databaseCommand({
  name: 'accounts correct-quota',
  audited: 'after',
  takes: ['id'],
  options: {
    'give-back': { value: 'N', about: 'units of this month to give back' },
    charge: { value: 'N', about: 'units of this month to charge' },
    reason: { value: 'TEXT', about: 'the reason, for the audit log', isRequired: true },
  },
  about: "Correct the used units of this month's quota by giving units back or charging more.",
  async run(deps, { id, 'give-back': back, charge }) {
    if ((back === undefined) === (charge === undefined))
      throw new UsageError('Add either --give-back N or --charge N.');
    const units = back === undefined ? readUnits(charge ?? '', '--charge') : -readUnits(back, '--give-back');
    const account = await getAccount(deps.db, id);
    const { used, remaining, resetsAt } = await correctQuota(deps, account, units);
    const resets = toUtcSeconds(resetsAt);
    return {
      lines: [`${account.name} (${id}) has used ${counted(used, 'unit')}, ${remaining} left until ${resets}.`],
      json: { account: { id, quota_used: used, quota_remaining: remaining, resets_at: resets } },
    };
  },
});

const accountsExport = databaseCommand({
  name: 'accounts export',
  audited: 'before',
  takes: ['id'],
  options: {},
  about: 'Print all data of an account, without secrets, as one line of JSON for each row of each table.',
  async run({ db }, { id }, { line }) {
    await getAccount(db, id);
    for await (const each of exportAccount(db, id)) line(JSON.stringify(each));
    return { lines: [], json: undefined };
  },
});

const accountsCopy = databaseCommand({
  name: 'accounts copy',
  audited: 'before',
  takes: ['id'],
  options: {},
  secrets: { target: 'TARGET_DATABASE_URL' },
  about:
    'Copy a disabled account to another installation, whose database is TARGET_DATABASE_URL and whose ENCRYPTION_KEY is the same. It stays disabled in both. Safe to repeat, even while services run.',
  async run({ db }, { id }, { env }) {
    const url = env.TARGET_DATABASE_URL?.trim();
    if (!url) throw new UsageError('Set TARGET_DATABASE_URL to the database of the installation to copy to.');
    const account = await getAccount(db, id);
    if (account.testOf !== null)
      throw new CommandError(
        `${id} is the test account of another account and is copied with it. Run \`accounts copy ${account.testOf}\`.`,
      );
    if (account.disabledAt === null)
      throw new CommandError(`${account.name} (${id}) is active. Disable it first with \`accounts disable ${id}\`.`);
    if (account.eraseAt !== null) throw new CommandError(`${account.name} (${id}) is being deleted.`);
    const running = await countUnfinished(db, id);
    if (running > 0)
      throw new CommandError(
        `Imports, bulk actions or replays of the account are still running (${running}). Wait until they end.`,
      );
    const keyring = createKeyring(loadConfig(env, ['encryptionKeys']).encryptionKeys);
    return withDatabaseAt('TARGET_DATABASE_URL', url, async (target) => {
      if (await isOneDatabase(db, target))
        throw new CommandError(
          'TARGET_DATABASE_URL is the database that the account is already in. Nothing was copied.',
        );
      const there = await findAccount(target, id);
      if (there && there.disabledAt === null)
        throw new CommandError(`The account is already active in TARGET_DATABASE_URL.`);
      await requireSameKeys(keyring, db, target);
      const copied = await copyAccount({ from: db, to: target }, id, transitOf);
      return { lines: describe(account.name, copied), json: { account: { id }, copied } };
    });
  },
});

/** Secrets are copied as they are, and the links to buyers' pages must stay. @throws CommandError */
async function requireSameKeys(keyring: Keyring, from: Db, to: Db): Promise<void> {
  const tokens: (string | null)[] = [];
  for (const db of [from, to]) {
    if ((await keyFits(db, keyring)) === false)
      throw new CommandError('ENCRYPTION_KEY must be the key of both installations.');
    tokens.push(await tokenKeysOf(db, keyring));
  }
  if (tokens[0] !== tokens[1])
    throw new CommandError(
      "The two installations would give out different links to buyers' pages. Copy the row of the table `installation` from the first one to the second one before that has its first account.",
    );
}

async function tokenKeysOf(db: Db, keyring: Keyring): Promise<string | null> {
  const stored = await db.installation.findUnique({ where: { id: 1 } });
  if (!stored) return null;
  const keys = installationTokenKeys(keyring);
  keys.learn(stored);
  return packTokenKeys(keys);
}

function describe(name: string, copied: Copied): string[] {
  const lines = Object.entries(copied).map(([table, { read, stored }]) => {
    const rest = read === stored ? '' : `, ${read - stored} of them already there`;
    return `  ${table.replaceAll('_', ' ')}: ${read}${rest}`;
  });
  return [`${name} was copied and is disabled in both installations. Rows:`, ...lines];
}

/** Rows between two lines of progress. */
const ROWS_PER_LINE = 10_000;
/** After this long, the background goes on with what a command that was interrupted has begun. */
const LEFT_ALONE_MS = 3_600_000;

const accountsDelete = databaseCommand({
  name: 'accounts delete',
  audited: 'before',
  personal: ['confirm'],
  takes: ['id'],
  options: {
    confirm: { value: 'NAME', about: 'the name of the account, to confirm the deletion' },
    'dry-run': { about: 'count the rows only' },
  },
  about: 'Permanently delete a disabled account and all its data. Safe to repeat, even while services run.',
  async run({ db, now }, { id, confirm, 'dry-run': isDryRun }, { out }) {
    if (isDryRun) {
      const account = await getAccount(db, id);
      const rows = await countAccountRows(db, id);
      return {
        lines: [`${account.name} (${id}) has ${rowsInWords(rows)}.`],
        json: { account: { id }, rows, dry_run: true },
      };
    }
    const account = await deleteAccount(db, id, confirm, new Date(now().getTime() + LEFT_ALONE_MS));
    let reported = 0;
    const onPage = (deleted: Readonly<Record<string, number>>) => {
      const total = Object.values(deleted).reduce((sum, count) => sum + count, 0);
      if (total - reported < ROWS_PER_LINE) return;
      reported = total;
      out(`Deleted so far: ${rowsInWords(deleted)}.`);
    };
    const rows = await eraseAccount(db, id, { onPage });
    return {
      lines: [`Deleted ${account.name} (${id}), with ${rowsInWords(rows)}.`],
      json: { account: { id }, rows, dry_run: false },
    };
  },
});

function rowsInWords(rows: Record<string, number>): string {
  const parts = Object.entries(rows).map(([table, count]) => `${count} ${table.replaceAll('_', ' ')}`);
  return parts.length === 0 ? 'nothing else' : parts.join(', ');
}

/** Parses units per month, or another number that `what` names. @throws UsageError */
function readUnits(text: string, what = 'The quota'): number {
  return wholeNumber(what, text, 0, MAX_UNITS);
}

type Quotas = Record<Plan, number>;

/** An account as text: rows of a name and a value. */
function accountRows(account: ListedAccount, quotas: Quotas): [string, string][] {
  const { id, name, plan, status, created_at, disabled_at } = viewAccount(account, quotas);
  return [
    ['Account', id],
    ['Name', name],
    ['Plan', plan],
    ['Quota', `${describeQuota(account, quotas)} units per month`],
    ['Status', disabled_at === null ? status : `${status} since ${disabled_at}`],
    ['Created', created_at],
  ];
}

/** `10000`, or `500 (its own)` for an account with its own quota. */
function describeQuota({ plan, quotaOverride }: Account, quotas: Quotas): string {
  return `${quotaLimit(plan, quotaOverride, quotas)}${quotaOverride === null ? '' : ' (its own)'}`;
}

/** In the order of the help text. */
export const accounts: readonly Command[] = [
  accountsCreate,
  accountsList,
  accountsShow,
  accountsDisable,
  accountsEnable,
  accountsSetPlan,
  accountsSetQuota,
  accountsCorrectQuota,
  accountsExport,
  accountsCopy,
  accountsDelete,
];
