import { readMessage } from '@pts/core/languages/message';
import type { EventKind } from '@pts/core/tracking/status';
import { type EndpointKey, MAX_PENDING, OUTAGE_GAP_MS, type StoredSecrets } from '@pts/core/webhook/endpoint';
import type { PushFilter } from '@pts/core/webhook/filter';
import type { PushFormat } from '@pts/core/webhook/push';
import { column, columns, type Db, type HotTx, hotRows, type RowOf, rows, type Tx } from './connection.ts';
import { Prisma, type Webhook as WebhookRow } from './generated/client.ts';
import { storeDisabled } from './notices.ts';

/** An enabled endpoint and what it subscribed to. */
export type WebhookEndpoint = RowOf<typeof ENDPOINT>;

export type Webhook = StoredSecrets &
  Omit<WebhookRow, keyof StoredSecrets | 'events' | 'filter' | 'format'> & {
    events: EventKind[];
    /** Which parcels' events it gets; null: those of all. */
    filter: PushFilter | null;
    format: PushFormat;
  };

/** The fields that a new endpoint is stored with; it is enabled unless it says something else. */
type NewWebhook = Pick<Webhook, 'id' | 'accountId' | 'url' | 'encryptedSecret' | 'createdAt'> &
  Omit<WebhookFields, 'url' | 'encryptedSecret' | 'events'> & { events: readonly EventKind[] };

/** The fields of an endpoint to change. */
export type WebhookFields = Partial<Omit<Webhook, 'id' | 'accountId' | 'createdAt' | 'events'>> & {
  events?: readonly EventKind[];
};

/** Which endpoint of an account. */
type WebhookKey = { accountId: string; id: string } | { accountId: string; url: string };

/**
 * Serializes changes to the URLs of an account's endpoints, so that their number stays within the limit and no URL
 * appears twice. Statements that only reference the account are not blocked: they may hold locks that we need.
 */
export async function lockAddresses(tx: Tx, accountId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM public.accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
}

/** Reads and locks an endpoint until the transaction ends. */
export async function lockWebhook(tx: Tx, key: WebhookKey): Promise<Webhook | null> {
  const { accountId } = key;
  if ('id' in key)
    await tx.$queryRaw`SELECT 1 FROM public.webhooks WHERE id = ${key.id} AND account_id = ${accountId} FOR NO KEY UPDATE`;
  else
    await tx.$queryRaw`SELECT 1 FROM public.webhooks WHERE account_id = ${accountId} AND url = ${key.url} FOR NO KEY UPDATE`;
  const which = 'id' in key ? { id: key.id } : { url: key.url };
  const row = await tx.webhook.findFirst({ where: { accountId, ...which } });
  return row && toWebhook(row);
}

export async function countWebhooks(tx: Tx, accountId: string): Promise<number> {
  return tx.webhook.count({ where: { accountId } });
}

/** Stores a new endpoint. @throws an error that `isDuplicate` knows when the account has one with this address. */
export async function insertWebhook(tx: Tx, { id, accountId, createdAt, ...fields }: NewWebhook): Promise<Webhook> {
  const { url, encryptedSecret } = fields;
  return toWebhook(
    await tx.webhook.create({ data: { ...toRow(fields), id, accountId, createdAt, url, encryptedSecret } }),
  );
}

/**
 * Changes an endpoint.
 * @returns null when the account has none of this id.
 * @throws an error that `isDuplicate` knows when another of the account's has the address.
 */
export async function updateWebhook(
  tx: Tx,
  { accountId, id }: { accountId: string; id: string },
  fields: WebhookFields,
): Promise<Webhook | null> {
  await tx.webhook.updateMany({ where: { id, accountId }, data: toRow(fields) });
  return findWebhook(tx, accountId, id);
}

/** The fields as Prisma takes them. */
function toRow({ events, retiredSecrets, retiredUntil, filter, ...fields }: WebhookFields) {
  return {
    ...fields,
    ...(events === undefined ? {} : { events: [...events] }),
    ...(retiredSecrets === undefined ? {} : { retiredSecrets: [...retiredSecrets] }),
    ...(retiredUntil === undefined ? {} : { retiredUntil: [...retiredUntil] }),
    ...(filter === undefined ? {} : { filter: filter === null ? Prisma.DbNull : (filter as Prisma.InputJsonObject) }),
  };
}

/** The endpoint of this id, or the account's newest when no id is given. */
export async function findWebhook(db: Tx, accountId: string, id?: string): Promise<Webhook | null> {
  const row = await db.webhook.findFirst({
    where: { accountId, ...(id === undefined ? {} : { id }) },
    orderBy: { createdAt: 'desc' },
  });
  return row && toWebhook(row);
}

const ENDPOINT = columns({
  id: column<WebhookRow['id']>('id'),
  accountId: column<WebhookRow['accountId']>('account_id'),
  events: column<WebhookRow['events']>('events'),
  filter: column<PushFilter | null>('filter'),
  failingSince: column<WebhookRow['failingSince']>('failing_since'),
});

/** All enabled endpoints of some accounts, oldest first. */
export async function enabledEndpoints(tx: HotTx, accountIds: readonly string[]): Promise<WebhookEndpoint[]> {
  if (accountIds.length === 0) return [];
  return hotRows(
    tx,
    ENDPOINT,
    (list) => Prisma.sql`
    SELECT ${list} FROM public.webhooks WHERE account_id = ANY(${[...accountIds]}::text[]) AND enabled ORDER BY created_at`,
  );
}

/** All endpoints of an account, newest first. */
export async function listWebhooks(db: Db, accountId: string): Promise<Webhook[]> {
  return (await db.webhook.findMany({ where: { accountId }, orderBy: { createdAt: 'desc' } })).map(toWebhook);
}

/** The endpoints of these ids, whichever accounts they belong to. */
export async function webhooksOfAnyone(db: Db, ids: readonly string[]): Promise<Webhook[]> {
  return (await db.webhook.findMany({ where: { id: { in: [...ids] } } })).map(toWebhook);
}

/** Whether the checks of an account are still to be moved into the monitored interval. */
export async function isBeginningToMonitor(db: Db, accountId: string): Promise<boolean> {
  return (await db.account.count({ where: { id: accountId, monitorAfter: { not: null } } })) > 0;
}

const PENDING = columns({
  webhookId: column<string>('w.id'),
  count: column<number>(`LEAST(${MAX_PENDING}, f.pending + l.pending)::int`),
  /** When the first of them is due; null if there are none. */
  nextAttemptAt: column<Date | null>('LEAST(f.next, l.next)'),
});

/** The deliveries that are pending for an endpoint, counted up to `MAX_PENDING`. */
type Pending = RowOf<typeof PENDING>;

/**
 * The pending deliveries of some endpoints. Hand-written: each count is the start of a range of a partial index. Fresh
 * ones are due in the order of their ids.
 */
export async function pendingOf(
  db: Db,
  endpoints: readonly { id: string; accountId: string }[],
): Promise<Map<string, Pending>> {
  const found = await rows(
    db,
    PENDING,
    (list) => Prisma.sql`
    SELECT ${list}
    FROM unnest(${endpoints.map(({ id }) => id)}::text[], ${endpoints.map((each) => each.accountId)}::text[]) AS w(id, account_id)
    CROSS JOIN LATERAL (SELECT count(*) AS pending, (SELECT next_attempt_at FROM public.deliveries
        WHERE webhook_id = w.id AND account_id = w.account_id AND state = 'owed' AND fresh ORDER BY id LIMIT 1) AS next
      FROM (SELECT 1 FROM public.deliveries
        WHERE webhook_id = w.id AND account_id = w.account_id AND state = 'owed' AND fresh LIMIT ${MAX_PENDING}) x) f
    CROSS JOIN LATERAL (SELECT count(*) AS pending, (SELECT next_attempt_at FROM public.deliveries
        WHERE webhook_id = w.id AND account_id = w.account_id AND state = 'owed' AND NOT fresh ORDER BY next_attempt_at LIMIT 1) AS next
      FROM (SELECT 1 FROM public.deliveries
        WHERE webhook_id = w.id AND account_id = w.account_id AND state = 'owed' AND NOT fresh LIMIT ${MAX_PENDING}) x) l`,
  );
  return new Map(found.map((pending) => [pending.webhookId, pending]));
}

/** Removes an endpoint; the dispatcher drops its pending deliveries. @returns its URL; null if there was none. */
export async function deleteWebhook(tx: Tx, accountId: string, id: string): Promise<string | null> {
  const known = await lockWebhook(tx, { accountId, id });
  await tx.webhook.deleteMany({ where: { id, accountId } });
  return known?.url ?? null;
}

/** The stored events, filter and format are valid: requests are checked against their schemas. */
function toWebhook(row: WebhookRow): Webhook {
  const { events, filter, format } = row;
  return {
    ...row,
    events: events as EventKind[],
    filter: filter as PushFilter | null,
    format: format as PushFormat,
  };
}

const FAILING_SINCE = columns({ failingSince: column<WebhookRow['failingSince']>('failing_since') });

/** Where a push was sent. Its result says nothing of another URL that the endpoint has by now. */
export type PushTarget = EndpointKey & { url: string };

/**
 * Records a failed attempt. Failures far apart are not one outage: after a long pause, a new one starts.
 * @returns since when the endpoint has been failing; null if it is deleted or disabled, or has another URL.
 */
export async function noteFailure(db: Db, { webhookId, accountId, url }: PushTarget, now: Date): Promise<Date | null> {
  const at = now.toISOString();
  const sameOutage = new Date(now.getTime() - OUTAGE_GAP_MS).toISOString();
  const [row] = await rows(
    db,
    FAILING_SINCE,
    (list) => Prisma.sql`
      UPDATE public.webhooks SET last_failed_at = ${at}::timestamptz,
        failing_since = CASE WHEN last_failed_at >= ${sameOutage}::timestamptz THEN COALESCE(failing_since, ${at}::timestamptz)
          ELSE ${at}::timestamptz END
      WHERE id = ${webhookId} AND account_id = ${accountId} AND url = ${url} AND enabled
      RETURNING ${list}`,
  );
  return row?.failingSince ?? null;
}

/**
 * Records a success of an endpoint that was failing. A push that was in flight already does not end a requested delay.
 */
export async function noteRecovery(db: Db, { webhookId, accountId, url }: PushTarget): Promise<void> {
  await db.webhook.updateMany({
    where: { id: webhookId, accountId, url, failingSince: { not: null } },
    data: { failingSince: null },
  });
}

/** Delays deliveries until the time that the endpoint requested; never shortens an earlier delay. */
export async function holdEndpoint(db: Db, { webhookId, accountId, url }: PushTarget, until: Date): Promise<void> {
  await db.webhook.updateMany({
    where: { id: webhookId, accountId, url, OR: [{ notBefore: null }, { notBefore: { lt: until } }] },
    data: { notBefore: until },
  });
}

/** Ends such a delay: somebody knows that the endpoint accepts deliveries again. */
export async function releaseEndpoint(db: Db, { webhookId, accountId }: EndpointKey): Promise<void> {
  await db.webhook.updateMany({ where: { id: webhookId, accountId }, data: { notBefore: null } });
}

/**
 * Disables an endpoint and stores the reason, a stored message or a text, and a notice, for its owner.
 * @param endpoint.url only if it has this URL.
 * @returns whether it was enabled until now.
 */
export async function disableEndpoint(
  db: Db,
  { webhookId, accountId, url }: EndpointKey & { url?: string },
  reason: string,
  now: Date,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const [disabled] = await tx.webhook.updateManyAndReturn({
      where: { id: webhookId, accountId, enabled: true, ...(url === undefined ? {} : { url }) },
      data: { enabled: false, disabledReason: reason, disabledAt: now, dropBefore: now },
      select: { url: true },
    });
    if (!disabled) return false;
    // The notice is in the language of its account, this part of it in English.
    const details = { url: disabled.url, reason: `${readMessage(reason)}` };
    await storeDisabled(tx, { accountId, webhookId, ...details }, now);
    return true;
  });
}
