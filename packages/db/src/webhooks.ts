import type { Db, Tx } from './client.ts';
import { freshId } from './ids.ts';

/** An enabled endpoint and what it subscribed to. */
export type Endpoint = { id: string; accountId: string; events: string[]; failingSince: Date | null };

export type Webhook = {
  id: string;
  accountId: string;
  url: string;
  events: string[];
  enabled: boolean;
  secretBox: string;
  previousSecretBox: string | null;
  previousUntil: Date | null;
  disabledReason: string | null;
  createdAt: Date;
};

export const MAX_WEBHOOKS = 10;

/**
 * Registers an endpoint. A URL that the account knows already gets the new secret and events and is enabled again;
 * the secret it had signs along until `previousUntil`.
 * @returns null when the account has as many endpoints as it may.
 */
export async function registerWebhook(
  db: Db,
  input: {
    accountId: string;
    url: string;
    events: readonly string[];
    secretBox: string;
    previousUntil: Date;
    now: Date;
  },
): Promise<Webhook | null> {
  const { accountId, url, secretBox } = input;
  const events = [...input.events];
  return db.$transaction(async (tx) => {
    // Serialises the registrations of one account, so that the count holds.
    await tx.$queryRaw`SELECT 1 FROM accounts WHERE id = ${accountId} FOR UPDATE`;
    const known = await tx.webhook.findUnique({ where: { accountId_url: { accountId, url } } });
    if (known) {
      const previous = { previousSecretBox: known.secretBox, previousUntil: input.previousUntil };
      return tx.webhook.update({
        where: { id: known.id },
        data: { events, secretBox, enabled: true, disabledReason: null, ...previous },
      });
    }
    if ((await tx.webhook.count({ where: { accountId } })) >= MAX_WEBHOOKS) return null;
    return tx.webhook.create({
      data: { id: freshId(input.now), accountId, url, events, secretBox, createdAt: input.now },
    });
  });
}

/** The endpoint of this id, or the account's newest when no id is given. */
export async function findWebhook(db: Db, accountId: string, id?: string): Promise<Webhook | null> {
  return db.webhook.findFirst({
    where: { accountId, ...(id === undefined ? {} : { id }) },
    orderBy: { createdAt: 'desc' },
  });
}

/** All enabled endpoints of some accounts, oldest first. */
export async function enabledEndpoints(tx: Tx, accountIds: readonly string[]): Promise<Endpoint[]> {
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

/** Changes an endpoint; enabling it forgets why it was disabled. @returns null when the account has none of this id. */
export async function updateWebhook(
  db: Db,
  accountId: string,
  id: string,
  change: { events?: readonly string[] | undefined; enabled?: boolean | undefined },
): Promise<Webhook | null> {
  const { events, enabled } = change;
  const { count } = await db.webhook.updateMany({
    where: { id, accountId },
    data: {
      ...(events === undefined ? {} : { events: [...events] }),
      ...(enabled === undefined ? {} : { enabled, disabledReason: null }),
    },
  });
  return count === 0 ? null : findWebhook(db, accountId, id);
}

/** Removes an endpoint; what is still owed to it is dropped by the dispatcher. @returns whether there was one. */
export async function deleteWebhook(db: Db, accountId: string, id: string): Promise<boolean> {
  const { count } = await db.webhook.deleteMany({ where: { id, accountId } });
  return count > 0;
}

/** Gives an endpoint a new secret; the one before signs along until `previousUntil`. */
export async function rotateSecret(
  db: Db,
  input: { accountId: string; id: string; secretBox: string; previousUntil: Date },
): Promise<Webhook | null> {
  const { accountId, id, secretBox, previousUntil } = input;
  // One statement, so that of two rotations at once neither keeps the other's old secret.
  await db.$executeRaw`
    UPDATE webhooks SET previous_secret_box = secret_box, previous_secret_until = ${previousUntil.toISOString()}::timestamptz,
      secret_box = ${secretBox}
    WHERE id = ${id} AND account_id = ${accountId}`;
  return findWebhook(db, accountId, id);
}
