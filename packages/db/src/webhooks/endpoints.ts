import { rotate, type StoredSecrets } from '@pts/core/webhook/rotation';
import type { Db, Tx } from '../connection/client.ts';
import { freshId } from '../connection/ids.ts';
import { column, columns, rows } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';

/** An enabled endpoint and what it subscribed to. */
export type WebhookEndpoint = { id: string; accountId: string; events: string[]; failingSince: Date | null };

export type Webhook = StoredSecrets & {
  id: string;
  accountId: string;
  url: string;
  events: string[];
  enabled: boolean;
  disabledReason: string | null;
  disabledAt: Date | null;
  supersede: boolean;
  failingSince: Date | null;
  notBefore: Date | null;
  createdAt: Date;
};

export const MAX_WEBHOOKS = 10;

/** An endpoint that is enabled, or now points elsewhere, begins anew. */
const HEALTHY = { failingSince: null, lastFailedAt: null, notBefore: null };
const ENABLED = { ...HEALTHY, enabled: true, disabledReason: null, disabledAt: null };

/** Too many secrets sign already; the next rotation is possible at `until`. Nothing was changed. */
export type TooManySecrets = { kind: 'too_many_secrets'; until: Date };

export type RegisterResult = { kind: 'registered'; webhook: Webhook } | { kind: 'too_many_webhooks' } | TooManySecrets;

/**
 * Registers an endpoint. A URL that the account knows already gets the new secret and events and is enabled again; every
 * secret that it had signs along for 24 hours after it was replaced.
 */
export async function registerWebhook(
  db: Db,
  input: {
    accountId: string;
    url: string;
    events: readonly string[];
    encryptedSecret: string;
    /** Absent: as it was; false for a new one. */
    supersede?: boolean | undefined;
    now: Date;
  },
): Promise<RegisterResult> {
  const { accountId, url, encryptedSecret, now } = input;
  const supersede = input.supersede === undefined ? {} : { supersede: input.supersede };
  const events = [...input.events];
  return db.$transaction(async (tx) => {
    await lockAccount(tx, accountId);
    // Locked as well, so that it is neither deleted nor given another secret in between.
    await tx.$queryRaw`SELECT 1 FROM public.webhooks WHERE account_id = ${accountId} AND url = ${url} FOR NO KEY UPDATE`;
    const known = await tx.webhook.findUnique({ where: { accountId_url: { accountId, url } } });
    if (known) return replaceSecret(tx, known, { encryptedSecret, now, also: { events, ...ENABLED, ...supersede } });
    if ((await tx.webhook.count({ where: { accountId } })) >= MAX_WEBHOOKS) return { kind: 'too_many_webhooks' };
    const webhook = await tx.webhook.create({
      data: { id: freshId(now), accountId, url, events, encryptedSecret, ...supersede, createdAt: now },
    });
    return { kind: 'registered', webhook };
  });
}

/** Gives an endpoint whose row is locked another secret, and changes more of it. */
async function replaceSecret(
  tx: Tx,
  known: Webhook,
  change: { encryptedSecret: string; now: Date; also: Prisma.WebhookUpdateInput },
): Promise<{ kind: 'registered'; webhook: Webhook } | TooManySecrets> {
  const rotated = rotate(known, change.encryptedSecret, change.now);
  if (rotated.kind === 'too_many') return { kind: 'too_many_secrets', until: rotated.until };
  const { retiredSecrets, retiredUntil, ...secrets } = rotated.secrets;
  const data = { ...change.also, ...secrets, retiredSecrets: [...retiredSecrets], retiredUntil: [...retiredUntil] };
  return { kind: 'registered', webhook: await tx.webhook.update({ where: { id: known.id }, data }) };
}

/**
 * Serialises what gives an account's endpoints their addresses, so that their count holds and no address comes twice. What
 * only refers to the account goes on: it would wait with locks that we want.
 */
async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM public.accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
}

/** The endpoint of this id, or the account's newest when no id is given. */
export async function findWebhook(db: Db, accountId: string, id?: string): Promise<Webhook | null> {
  return db.webhook.findFirst({
    where: { accountId, ...(id === undefined ? {} : { id }) },
    orderBy: { createdAt: 'desc' },
  });
}

/** All enabled endpoints of some accounts, oldest first. */
export async function enabledEndpoints(tx: Tx, accountIds: readonly string[]): Promise<WebhookEndpoint[]> {
  if (accountIds.length === 0) return [];
  return tx.webhook.findMany({
    where: { accountId: { in: [...accountIds] }, enabled: true },
    select: { id: true, accountId: true, events: true, failingSince: true },
    orderBy: { createdAt: 'asc' },
  });
}

/** All endpoints of an account, newest first. */
export async function listWebhooks(db: Db, accountId: string): Promise<Webhook[]> {
  return db.webhook.findMany({ where: { accountId }, orderBy: { createdAt: 'desc' } });
}

/** What of an endpoint its account may change. */
export type WebhookChange = {
  url?: string | undefined;
  events?: readonly string[] | undefined;
  supersede?: boolean | undefined;
  enabled?: boolean | undefined;
};

/**
 * Changes an endpoint. Enabling it forgets why it was disabled and that it has been failing; so does another address.
 * @returns null when the account has none of this id, `url_taken` when another of its endpoints has this address.
 */
export async function updateWebhook(
  db: Db,
  input: { accountId: string; id: string; change: WebhookChange; now: Date },
): Promise<Webhook | 'url_taken' | null> {
  const { accountId, id, now } = input;
  const { url, events, supersede, enabled } = input.change;
  const data = {
    ...(url === undefined ? {} : { url, ...HEALTHY }),
    ...(events === undefined ? {} : { events: [...events] }),
    ...(supersede === undefined ? {} : { supersede }),
    ...(enabled === true ? ENABLED : {}),
  };
  try {
    await db.$transaction(async (tx) => {
      if (url !== undefined) await lockAccount(tx, accountId);
      if (enabled === false) {
        // Of one that the service has disabled already, when and why stay as they are.
        const disabled = { enabled, disabledAt: now, disabledReason: null };
        await tx.webhook.updateMany({ where: { id, accountId, enabled: true }, data: disabled });
      }
      await tx.webhook.updateMany({ where: { id, accountId }, data });
    });
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return 'url_taken';
    throw error;
  }
  return findWebhook(db, accountId, id);
}

const COUNT = columns({ id: column<string>('w.id'), pending: column<number>('(f.owed + l.owed)::int') });

/**
 * How much is owed to each of some endpoints, counted to `most` at the utmost. Hand-written: each count is the beginning
 * of a range of a partial index.
 */
export async function countPending(db: Db, ids: readonly string[], most: number): Promise<Map<string, number>> {
  const counts = await rows(
    db,
    COUNT,
    (list) => Prisma.sql`
    SELECT ${list} FROM unnest(${[...ids]}::text[]) AS w(id)
    CROSS JOIN LATERAL (SELECT count(*) AS owed FROM (
      SELECT 1 FROM public.deliveries WHERE webhook_id = w.id AND state = 'owed' AND fresh LIMIT ${most}) x) f
    CROSS JOIN LATERAL (SELECT count(*) AS owed FROM (
      SELECT 1 FROM public.deliveries WHERE webhook_id = w.id AND state = 'owed' AND NOT fresh LIMIT ${most}) x) l`,
  );
  return new Map(counts.map(({ id, pending }) => [id, Math.min(most, pending)]));
}

/** Removes an endpoint; what is still owed to it is dropped by the dispatcher. @returns whether there was one. */
export async function deleteWebhook(db: Db, accountId: string, id: string): Promise<boolean> {
  const { count } = await db.webhook.deleteMany({ where: { id, accountId } });
  return count > 0;
}

/**
 * Gives an endpoint a new secret; each that it had signs along for 24 hours after it was replaced.
 * @returns null when the account has none of this id.
 */
export async function rotateSecret(
  db: Db,
  input: { accountId: string; id: string; encryptedSecret: string; now: Date },
): Promise<{ kind: 'registered'; webhook: Webhook } | TooManySecrets | null> {
  const { accountId, id, encryptedSecret, now } = input;
  return db.$transaction(async (tx) => {
    // Locked, so that of two rotations at once neither forgets the other's secret.
    await tx.$queryRaw`SELECT 1 FROM public.webhooks WHERE id = ${id} AND account_id = ${accountId} FOR NO KEY UPDATE`;
    const known = await tx.webhook.findFirst({ where: { id, accountId } });
    return known && replaceSecret(tx, known, { encryptedSecret, now, also: {} });
  });
}
