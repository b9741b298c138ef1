import { column, columns, type Db, rows } from '../connection.ts';
import { type IdempotencyKey, Prisma, type Webhook } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';

/** A row with encrypted values, by the names of their columns. */
export type SecretRow = {
  key: Readonly<Record<string, string>>;
  values: Readonly<Record<string, string | readonly string[]>>;
};

/** A table with encrypted values: how a page of it is read, and how values that have not changed since are replaced. */
export type SecretTable = {
  name: string;
  /** @param after the key of the last row before the page; null to begin. */
  read(db: Db, after: SecretRow['key'] | null): Promise<SecretRow[]>;
  /** Rows that were changed since they were read keep what they have now. @returns how many were replaced. */
  replace(db: Db, changes: readonly { from: SecretRow; to: SecretRow }[]): Promise<number>;
};

/** Rows that are read, and replaced, by one statement. The answers among them may have 170 KB each. */
const PAGE = 100;

const WEBHOOK = columns({
  id: column<Webhook['id']>('w.id'),
  secret: column<Webhook['encryptedSecret']>('w.secret_box'),
  retired: column<Webhook['retiredSecrets']>('w.retired_secret_boxes'),
});
const ANSWER = columns({
  accountId: column<IdempotencyKey['accountId']>('i.account_id'),
  key: column<IdempotencyKey['key']>('i.key'),
  body: column<string>('i.sealed_body'),
});

const webhooks: SecretTable = {
  name: 'webhooks',
  async read(db, after) {
    const found = await rows(
      db.$within(DEADLINES.bulk),
      WEBHOOK,
      (list) =>
        Prisma.sql`SELECT ${list} FROM public.webhooks w WHERE w.id > ${after?.id ?? ''} ORDER BY w.id LIMIT ${PAGE}::int`,
    );
    return found.map(({ id, ...values }) => ({ key: { id }, values }));
  },
  replace: (db, changes) =>
    db.$within(DEADLINES.bulk).$executeRaw`
      UPDATE public.webhooks w SET secret_box = n.to_secret, retired_secret_boxes = n.to_retired
      FROM jsonb_to_recordset(${asJson(changes)}::jsonb) AS n (id text, from_secret text, from_retired text[],
        to_secret text, to_retired text[])
      WHERE w.id = n.id AND w.secret_box = n.from_secret AND w.retired_secret_boxes = n.from_retired`,
};

/** Answers that are kept for a day, for requests that are repeated. */
export const idempotencyKeys: SecretTable = {
  name: 'idempotency_keys',
  async read(db, after) {
    const found = await rows(
      db.$within(DEADLINES.bulk),
      ANSWER,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.idempotency_keys i
        WHERE (i.account_id, i.key) > (${after?.accountId ?? ''}, ${after?.key ?? ''}) AND i.sealed_body IS NOT NULL
        ORDER BY i.account_id, i.key LIMIT ${PAGE}::int`,
    );
    return found.map(({ accountId, key, body }) => ({ key: { accountId, key }, values: { body } }));
  },
  replace: (db, changes) =>
    db.$within(DEADLINES.bulk).$executeRaw`
      UPDATE public.idempotency_keys i SET sealed_body = n.to_body
      FROM jsonb_to_recordset(${asJson(changes)}::jsonb) AS n ("accountId" text, key text, from_body text, to_body text)
      WHERE i.account_id = n."accountId" AND i.key = n.key AND i.sealed_body = n.from_body`,
};

/** Tables whose rows can be re-encrypted in any order. The installation's own record comes after them. */
export const SECRET_TABLES: readonly SecretTable[] = [webhooks, idempotencyKeys];

function asJson(changes: readonly { from: SecretRow; to: SecretRow }[]): string {
  const prefixed = (prefix: string, { values }: SecretRow) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}_${name}`, value]));
  return JSON.stringify(
    changes.map(({ from, to }) => ({ ...from.key, ...prefixed('from', from), ...prefixed('to', to) })),
  );
}
