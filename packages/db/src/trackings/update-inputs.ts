import { toSnakeCase } from '@pts/core/snake-case';
import { column, columns, type Db, rowsByIndex } from '../connection.ts';
import { Prisma, type Tracking } from '../generated/client.ts';
import { INPUT_NAMES, type TrackingInputs, toWire } from './inputs.ts';

export type InputUpdate = { id: string; inputs: TrackingInputs };

const UPDATED = columns({ id: column<Tracking['id']>('id') });
const CREATED = columns({ id: column<Tracking['id']>('t.id') });

const NAMES = INPUT_NAMES.map((name) => toSnakeCase(name));
const GIVEN = Prisma.raw(NAMES.map((name) => `${name} = COALESCE(i.${name}, t.${name})`).join(', '));
const DIFFERS = Prisma.raw(
  NAMES.map((name) => `(i.${name} IS NOT NULL AND i.${name} IS DISTINCT FROM t.${name})`).join(' OR '),
);

/** The fields that a carrier needs besides the number, as a check has them, of a tracking named `u`. */
export const HINTS = Prisma.raw(`NULLIF(jsonb_strip_nulls(jsonb_build_object(
  'phone', u.phone, 'postalCode', u.postal_code, 'destinationCountry', u.destination_country)), '{}'::jsonb)`);

/**
 * Gives trackings of an account other inputs; those that are absent stay as they are. The fields that a carrier needs reach its
 * next check; if they differ, a number that the provider refused to watch is offered to it again.
 * @returns the ids of those that have changed.
 */
export async function updateInputs(
  db: Db,
  accountId: string,
  updates: readonly InputUpdate[],
  now: Date,
): Promise<Set<string>> {
  if (updates.length === 0) return new Set();
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const given = JSON.stringify(updates.map(({ id, inputs }) => ({ id, ...toWire(inputs) })));
  const updated = await rowsByIndex(
    db,
    UPDATED,
    (list) => Prisma.sql`
      WITH input AS (
        SELECT * FROM jsonb_populate_recordset(NULL::public.trackings, ${given}::jsonb)
      ), locked AS (
        SELECT id, account_id FROM public.trackings WHERE id = ANY (ARRAY(SELECT id FROM input)) AND account_id = ${accountId}
        ORDER BY id FOR NO KEY UPDATE -- one lock order for all writers
      ), updated AS (
        UPDATE public.trackings t SET ${GIVEN} FROM locked l JOIN input i ON i.id = l.id
        WHERE t.id = l.id AND t.account_id = l.account_id AND (${DIFFERS})
        RETURNING t.id, t.account_id, t.phone, t.postal_code, t.destination_country
      ), hinted AS (
        UPDATE public.checks c SET hints = ${HINTS}
        FROM updated u WHERE c.tracking_id = u.id AND c.account_id = u.account_id
        RETURNING c.tracking_id, c.account_id, c.tracking_number, c.provider, c.hints
      ), wanted AS (
        UPDATE public.subscriptions s SET state = 'wanted', failures = 0, retry_at = ${at}, updated_at = ${at}
        FROM hinted h JOIN public.checks c ON c.tracking_id = h.tracking_id AND c.account_id = h.account_id
        WHERE s.tracking_number = h.tracking_number AND s.provider = h.provider AND s.state = 'refused'
          AND c.hints IS DISTINCT FROM h.hints -- the statement sees the check as it was before
      )
      SELECT ${list} FROM updated`,
  );
  return new Set(updated.map(({ id }) => id));
}

export type Span = { since: Date; until: Date };

/** Which of these trackings of an account were registered within a time. */
export async function registeredWithin(
  db: Db,
  accountId: string,
  ids: readonly string[],
  { since, until }: Span,
): Promise<Set<string>> {
  const found = await rowsByIndex(
    db,
    CREATED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings t
      WHERE t.id = ANY (${[...ids]}::text[]) AND t.account_id = ${accountId}
        AND t.created_at >= ${since.toISOString()}::timestamptz AND t.created_at <= ${until.toISOString()}::timestamptz`,
  );
  return new Set(found.map(({ id }) => id));
}
