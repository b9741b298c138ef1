import { randomBytes } from 'node:crypto';
import type { Provider } from '@pts/carriers/provider';
import { SANDBOX } from '@pts/carriers/registry/registry';
import {
  excessOf,
  FULL_GRANT,
  hashApiKey,
  type KeyGrant,
  type KeyKind,
  keyHint,
  MAX_ACCOUNT_NAME,
  MAX_KEY_NAME,
  MAX_KEYS,
  newApiKey,
  newOperatorKey,
  type Plan,
  quotaLimit,
  readGrant,
  remaining,
  SCOPES,
  TEST_QUOTA,
  type WantedKey,
} from '@pts/core/account';
import {
  type AccountAttention,
  ATTENTION_REASONS,
  type AttentionReason,
  accountAttention,
  attentionDays,
} from '@pts/core/attention';
import { type Fault, invalidField, refusal, refusedField, ServiceError } from '@pts/core/errors';
import { message, readMessage } from '@pts/core/languages/message';
import { TEST_PROVIDER } from '@pts/core/provider';
import { monthOf, nextMonthOf, toUtcSeconds } from '@pts/core/time';
import {
  type Account,
  correctUsed,
  disableAccount as disable,
  findAccount,
  findTestAccount,
  insertAccount,
  insertKey,
  isInForce,
  type Key,
  type KeyHolder,
  type ListedAccount,
  type ListedKey,
  listKeys,
  lockKeys,
  quotaUsed,
  recordKeyUse,
  revokeKey as revoke,
  revokeKeys,
  USE_RECORDED_EVERY_MS,
  updateAccount,
} from '@pts/db/accounts/accounts';
import { insertOperatorKey, type OperatorKey } from '@pts/db/accounts/operator-keys';
import { claimErasure, eraseAccount, scheduleErasure } from '@pts/db/accounts/personal-data';
import { type AuditEntry, appendAudit } from '@pts/db/audit';
import type { Db, Tx } from '@pts/db/connection';
import { freshId } from '@pts/db/ids';
import { DEADLINES } from '@pts/db/pool';
import { countAttention, listShipments, NEWEST_CHANGE_FIRST, type ShipmentRow } from '@pts/db/shipments';
import { listWebhooks } from '@pts/db/webhooks';
import type { ServiceContext } from './context.ts';

/**
 * Creates an account with its first key. The key is returned only here.
 * @param entry what the audit log has of it, in the same transaction.
 * @throws ServiceError `invalid_field` for a name that an account cannot have.
 */
export async function createAccount(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { name, plan, quotaOverride = null }: { name: string; plan: Plan; quotaOverride?: number | null },
  entry?: Omit<AuditEntry, 'accountId'>,
): Promise<{ account: ListedAccount; key: NewKey }> {
  const at = now();
  const given = { name: nameOf(name, MAX_ACCOUNT_NAME), plan, quotaOverride };
  return db.$transaction(async (tx) => {
    const account = await insertAccount(tx, { id: freshId(at), ...given });
    const key = await issueKey(tx, account.id, at);
    if (entry) await appendAudit(tx, { ...entry, accountId: account.id });
    return { account, key };
  });
}

/** A name without the spaces around it. It is shown on terminals. @throws ServiceError `invalid_field` */
function nameOf(text: string, maxLength: number): string {
  const name = text.trim();
  if (name === '' || name.length > maxLength || /\p{Cc}/u.test(name))
    throw refusedField('name', message('field.account_name', { max: maxLength }));
  return name;
}

/** @throws ServiceError `not_found` */
export async function getAccount(db: Db, id: string): Promise<ListedAccount> {
  return known(await findAccount(db, id), id);
}

function known(account: ListedAccount | null, id: string): ListedAccount {
  if (!account) throw new ServiceError('not_found', { text: message('no_such_account', { account: id }) });
  return account;
}

/** Sets the plan of an account, or its own quota; null returns to that of its plan. @throws ServiceError `not_found` */
export async function changeAccount(
  db: Db,
  id: string,
  change: Partial<Pick<Account, 'plan' | 'quotaOverride'>>,
): Promise<ListedAccount> {
  return known(await updateAccount(db, id, change), id);
}

/**
 * Disables an account: its keys are refused within a second, its parcels still checked and pushed.
 * @throws ServiceError `not_found`
 */
export async function disableAccount(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  id: string,
): Promise<ListedAccount> {
  return known(await disable(db, id, now()), id);
}

/** Enables an account again. @throws ServiceError `not_found`; `conflict` for one that is being deleted. */
export async function enableAccount(db: Db, id: string): Promise<ListedAccount> {
  const enabled = await updateAccount(db, id, { disabledAt: null });
  if (enabled) return enabled;
  const { name } = await getAccount(db, id);
  throw new ServiceError('conflict', { text: message('account_being_deleted', { name, account: id }) });
}

/**
 * Begins to delete a disabled account, for good; the background goes on (`sweepErasures`).
 * @param confirm the name of the account.
 * @param at from when on the background works on it.
 * @throws ServiceError `not_found`; `conflict` for an active account; `invalid_field` if another name was confirmed.
 */
export async function deleteAccount(db: Db, id: string, confirm: string | undefined, at: Date): Promise<ListedAccount> {
  const account = await getAccount(db, id);
  const active = () =>
    new ServiceError('conflict', { text: message('account_active', { name: account.name, account: id }) });
  if (account.disabledAt === null) throw active();
  if (confirm !== account.name) throw refusedField('confirm', message('field.confirm', { name: account.name }));
  if (!(await scheduleErasure(db, id, at))) throw active();
  return { ...account, eraseAt: at };
}

/** How long a process works on a deletion before it looks for others, and when another takes over from a dead one. */
const ERASURE = { sliceMs: 60_000, leaseMs: 600_000 } as const;

/** Goes on with the deletion of an account, if one is due. */
export async function sweepErasures(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  isStopped: () => boolean,
): Promise<{ more: boolean }> {
  const startedAt = now().getTime();
  const id = await claimErasure(db, { now: now(), until: new Date(startedAt + ERASURE.leaseMs) });
  if (id === null) return { more: false };
  const isOver = () => isStopped() || now().getTime() > startedAt + ERASURE.sliceMs;
  await eraseAccount(db, id, { isOver });
  // Nothing is left of an account whose deletion has ended.
  await scheduleErasure(db, id, now());
  return { more: true };
}

/** An account as operators see it. */
export function viewAccount(
  { id, name, plan, quotaOverride, disabledAt, createdAt, eraseAt }: ListedAccount,
  quotas: Record<Plan, number>,
) {
  const status: 'active' | 'disabled' | 'deleting' = eraseAt ? 'deleting' : disabledAt ? 'disabled' : 'active';
  return {
    id,
    name,
    plan,
    status,
    quota_limit: quotaLimit(plan, quotaOverride, quotas),
    quota_override: quotaOverride,
    disabled_at: disabledAt && toUtcSeconds(disabledAt),
    created_at: toUtcSeconds(createdAt),
  };
}

type Providers = Pick<ServiceContext, 'providers' | 'sandbox'>;

/** Whether a provider serves live accounts: all but the one for test accounts do. */
export function isLive({ name }: Pick<Provider, 'name'>): boolean {
  return name !== TEST_PROVIDER;
}

/** Whether live accounts may use the carrier `sandbox`. */
export function hasSandbox(providers: readonly Provider[]): boolean {
  return providers.some((provider) => isLive(provider) && provider.serves(SANDBOX));
}

/**
 * The dependencies of verbs by the mode of their account: a test account has the test provider, which plays every
 * carrier, and no other; live accounts have all the others. So neither reaches the providers of the other.
 */
export function modesOf<C extends Providers>(ctx: C): (account: Pick<Account, 'testOf'>) => C {
  const { providers } = ctx;
  const live = { ...ctx, providers: providers.filter(isLive) };
  const test = { ...ctx, providers: providers.filter((each) => !isLive(each)), sandbox: true };
  return ({ testOf }) => (testOf === null ? live : test);
}

/** Units of the current UTC month, and when it started and ends. */
type Quota = { limit: number; used: number; remaining: number; startsAt: Date; resetsAt: Date };

/** Reads the quota of an account for this month. */
export async function readQuota(
  { db, quotas, now }: Pick<ServiceContext, 'db' | 'quotas' | 'now'>,
  { id, plan, quotaOverride }: Pick<Account, 'id' | 'plan' | 'quotaOverride'>,
): Promise<Quota> {
  const at = now();
  const used = await quotaUsed(db, id, at);
  const limit = quotaLimit(plan, quotaOverride, quotas);
  return { limit, used, remaining: remaining(limit, used), startsAt: monthOf(at), resetsAt: nextMonthOf(at) };
}

/**
 * Corrects the units that an account has used this month: negative ones are given back, positive ones are charged.
 * @returns the quota afterwards.
 * @throws ServiceError `conflict`, with nothing changed, if fewer are left than would be charged.
 */
export async function correctQuota(
  ctx: Pick<ServiceContext, 'db' | 'quotas' | 'now'>,
  account: Pick<Account, 'id' | 'name' | 'plan' | 'quotaOverride'>,
  units: number,
): Promise<Quota> {
  const { id, name, plan, quotaOverride } = account;
  const limit = quotaLimit(plan, quotaOverride, ctx.quotas);
  const used = await correctUsed(ctx.db, { accountId: id, units, quotaLimit: limit, now: ctx.now() });
  if (used === null) {
    const text = message('account_units_left', { name, account: id, units });
    throw new ServiceError('conflict', { text });
  }
  return readQuota(ctx, account);
}

/**
 * Creates a key for the account of another key, with no more than that has; a test key is one of its test account,
 * which the first of them creates. The key is returned only here. It may outlast the session of a person.
 * @param ctx.hasTestMode whether this installation has a provider for test accounts.
 * @throws ServiceError `unauthorized` if the other key has just been revoked; `invalid_field`: a network or the end is
 *   invalid, or goes beyond the other key's, there are no test keys here or not with this scope, or the account has the
 *   maximum of keys.
 */
export async function createKey(
  { db, hasTestMode, audit, now }: Pick<ServiceContext, 'db' | 'hasTestMode' | 'audit' | 'now'>,
  { account, key }: KeyHolder,
  wanted: WantedKey,
): Promise<NewKey> {
  const at = now();
  const grant = readGrant(wanted, at);
  const isTest = wanted.test === true;
  const faults = [
    ...('faults' in grant ? grant.faults : excessOf(grant, key.memberId === null ? key : { ...key, expiresAt: null })),
    ...(isTest ? testFaults(wanted, hasTestMode) : []),
  ];
  if ('faults' in grant || faults.length > 0) throw refusal(faults);
  return db.$transaction(async (tx) => {
    await lockKeys(tx, account.id);
    // It may have been revoked since the request was authenticated, and must not leave another one behind.
    if (!(await isInForce(tx, key.id))) throw new ServiceError('unauthorized', { text: message('key_revoked') });
    if ((await listKeys(tx, account.id)).length >= MAX_KEYS) throw tooManyKeys();
    const owner = isTest && account.testOf === null ? await testAccountOf(tx, account, at) : account;
    const created = await issueKey(tx, owner.id, at, grant, owner.testOf === null ? 'live' : 'test');
    await audit?.(tx, { id: created.id, name: created.name ?? created.hint });
    return created;
  });
}

/** The test account of a live one, whose keys are locked; created if there is none. */
async function testAccountOf(tx: Tx, { id, name }: Account, now: Date): Promise<Account> {
  const found = await findTestAccount(tx, id);
  if (found) return found;
  const given = { name: `${name} (test)`, plan: 'enterprise', quotaOverride: TEST_QUOTA, testOf: id } as const;
  return insertAccount(tx, { id: freshId(now), ...given });
}

function testFaults({ scopes }: WantedKey, hasTestMode: boolean): Fault[] {
  if (!hasTestMode) return [invalidField('test', message('field.no_test_keys'))];
  return scopes.includes('admin') ? [invalidField('scopes', message('field.test_admin'))] : [];
}

function tooManyKeys(): ServiceError {
  return refusedField('scopes', message('field.max_keys', { max: MAX_KEYS }));
}

/**
 * Adds a key to an account, for the operator. By default it may do everything. The key is returned only here.
 * @throws ServiceError `invalid_field` for a name, networks or an end that a key cannot have, or if the account has the
 *   maximum of keys.
 */
export async function addKey(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { id, testOf = null }: Pick<Account, 'id'> & Partial<Pick<Account, 'testOf'>>,
  { name, ...wanted }: WantedKey = { scopes: SCOPES },
): Promise<NewKey> {
  const at = now();
  const grant = readGrant({ ...wanted, name: name === undefined ? undefined : nameOf(name, MAX_KEY_NAME) }, at);
  if ('faults' in grant) throw refusal(grant.faults);
  return db.$transaction(async (tx) => {
    await lockKeys(tx, id);
    if ((await listKeys(tx, id)).length >= MAX_KEYS) throw tooManyKeys();
    return issueKey(tx, id, at, grant, testOf === null ? 'live' : 'test');
  });
}

/**
 * Revokes a key, for the operator, who may revoke any.
 * @param accountId whose key it must be; default: anybody's.
 * @returns when it was revoked.
 * @throws ServiceError `not_found`
 */
export async function withdrawKey(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { id, accountId }: { id: string; accountId?: string },
): Promise<Date> {
  const at = now();
  if (await revoke(db, { id, accountId }, at)) return at;
  throw new ServiceError('not_found', { text: message('no_such_active_key', { key: id }) });
}

/** An operator's key. The key itself is returned only here; only its hash is stored. */
export type NewOperatorKey = OperatorKey & { operatorKey: string };

/**
 * Creates a key with which a platform manages accounts over REST.
 * @throws ServiceError `invalid_field` for a name, networks or an end that a key cannot have.
 */
export async function createOperatorKey(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { name, ...wanted }: Pick<WantedKey, 'expires_at' | 'networks'> & { name: string },
): Promise<NewOperatorKey> {
  const at = now();
  const grant = readGrant({ ...wanted, scopes: [] }, at);
  if ('faults' in grant) throw refusal(grant.faults);
  const operatorKey = newOperatorKey(randomBytes(24));
  const { expiresAt, networks } = grant;
  const key = await insertOperatorKey(db, {
    ...{ id: freshId(at), name: nameOf(name, MAX_KEY_NAME), hint: keyHint(operatorKey), createdAt: at },
    ...{ keyHash: hashApiKey(operatorKey), expiresAt, networks: [...networks] },
  });
  return { ...key, operatorKey };
}

/** A new API key. The key itself is returned only here; only its hash is stored. */
export type NewKey = KeyGrant & { id: string; apiKey: string; hint: string; createdAt: Date };

/** Creates a key and stores its hash. By default, it may do everything. */
export async function issueKey(
  tx: Tx,
  accountId: string,
  now: Date,
  grant: KeyGrant = FULL_GRANT,
  kind: KeyKind = 'live',
  { id = freshId(now), ...member }: { id?: string; memberId?: string } = {},
): Promise<NewKey> {
  const apiKey = newApiKey(randomBytes(24), kind);
  const key = { ...grant, id, hint: keyHint(apiKey), createdAt: now };
  await insertKey(tx, { ...key, ...member, accountId, keyHash: hashApiKey(apiKey) });
  return { ...key, apiKey };
}

/**
 * Revokes every key of an account, ends the sessions of its members, and creates a new key in the same transaction. The
 * key is returned only here.
 */
export async function resetKeys(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { id, testOf = null }: Pick<Account, 'id'> & Partial<Pick<Account, 'testOf'>>,
): Promise<NewKey> {
  const at = now();
  return db.$transaction(async (tx) => {
    await lockKeys(tx, id);
    await revokeKeys(tx, id, at);
    return issueKey(tx, id, at, FULL_GRANT, testOf === null ? 'live' : 'test');
  });
}

/**
 * Revokes a key of an account, unless no key with the scope `admin` would be left.
 * @returns when it was revoked.
 * @throws ServiceError `not_found` for a key that the account does not have; `conflict` for the last one with that
 *   scope.
 */
export async function revokeKey(
  { db, audit, now }: Pick<ServiceContext, 'db' | 'audit' | 'now'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<Date> {
  const at = now();
  await db.$transaction(async (tx) => {
    // Two keys that revoke each other at the same time must not both succeed.
    await lockKeys(tx, accountId);
    const keys = await listKeys(tx, accountId);
    const revoked = keys.find((key) => key.id === id);
    if (!revoked) throw new ServiceError('not_found', { text: message('no_such_key') });
    if (!keys.some((key) => key.id !== id && isAdmin(key, at)))
      throw new ServiceError('conflict', { text: message('key_last_admin') });
    await revoke(tx, { id, accountId }, at);
    await audit?.(tx, { id, name: revoked.name ?? revoked.hint });
  });
  return at;
}

/**
 * Whether it manages the keys of its account: one of the test account, which an operator may have created, does not.
 */
function isAdmin({ scopes, expiresAt, isTest }: ListedKey, now: Date): boolean {
  return scopes.includes('admin') && !isTest && (expiresAt === null || expiresAt > now);
}

/**
 * Records that a key is in use, at most once in some minutes. Nobody waits for it: a record that is lost costs some
 * minutes of `last_used_at`, and a request none of its time.
 */
export function noteKeyUse(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { key }: { key: Pick<Key, 'id' | 'lastUsedAt'> },
  record: typeof recordKeyUse = recordKeyUse,
): void {
  const at = now();
  if (key.lastUsedAt !== null && at.getTime() - key.lastUsedAt.getTime() < USE_RECORDED_EVERY_MS) return;
  record(db.$within(DEADLINES.statement), key.id, at).catch(() => {});
}

const NEWEST = 10;

/**
 * A summary of what needs attention at a moment: of the account, how many parcels for each reason, and those that had
 * news last.
 */
type AttentionSummary = {
  account: AccountAttention[];
  counts: Map<AttentionReason, number>;
  newest: ShipmentRow[];
};

/** Reads what needs an account's attention at `at`. */
export async function readAttention(
  ctx: Pick<ServiceContext, 'db' | 'quotas' | 'now'>,
  account: Account,
  at: Date,
): Promise<AttentionSummary> {
  const { db } = ctx;
  const moment = { now: at, days: attentionDays(account.attention) };
  const filter = { accountId: account.id, attention: { reasons: ATTENTION_REASONS, ...moment } };
  const [quota, webhooks, counts, newest] = await Promise.all([
    readQuota(ctx, account),
    listWebhooks(db, account.id),
    countAttention(db, account.id, moment),
    listShipments(db, { filter, order: NEWEST_CHANGE_FIRST, limit: NEWEST, isDetailed: true }),
  ]);
  const endpoints = webhooks.map((each) => ({ ...each, disabledReason: readMessage(each.disabledReason) }));
  return { account: accountAttention(quota, endpoints), counts, newest: newest.rows };
}
