import { toSnakeCase } from '@pts/core/snake-case';
import { monthOf } from '@pts/core/time';
import { column, columns, type HotTx, hotExecute, hotRows } from '../connection.ts';
import { Prisma, type Tracking } from '../generated/client.ts';
import { INPUT_NAMES } from './inputs.ts';
import { HINTS } from './update-inputs.ts';

/** A tracking whose carrier has just been found. */
type Decided = Pick<Tracking, 'id' | 'accountId' | 'trackingNumber' | 'carrier' | 'createdAt'>;

const TAKEN = columns({ id: column<string>('r.id'), otherId: column<Tracking['id']>('o.id') });

/**
 * Merges trackings whose carrier the account has for their number already into that other record: inputs that it lacks are
 * added, also to its check, and the unit is given back: one parcel is registered.
 * @returns the ids of the merged trackings, which no longer exist.
 */
export async function mergeTaken(tx: HotTx, decided: readonly Decided[]): Promise<Set<string>> {
  if (decided.length === 0) return new Set();
  const given = JSON.stringify(
    decided.map(({ id, accountId, trackingNumber, carrier }) => ({ id, accountId, trackingNumber, carrier })),
  );
  const taken = await hotRows(
    tx,
    TAKEN,
    (list) => Prisma.sql`
      SELECT ${list} FROM jsonb_to_recordset(${given}::jsonb)
        AS r(id text, "accountId" text, "trackingNumber" text, carrier text)
      JOIN public.trackings o ON o.account_id = r."accountId" AND o.tracking_number = r."trackingNumber"
        AND o.carrier = r.carrier AND o.id <> r.id
      ORDER BY o.id FOR UPDATE OF o`,
  );
  for (const { id, otherId } of taken) {
    const tracking = decided.find((each) => each.id === id);
    if (tracking) await merge(tx, tracking, otherId);
  }
  return new Set(taken.map(({ id }) => id));
}

/** Where the other record has no value of its own. */
const MISSING = Prisma.raw(
  INPUT_NAMES.map((name) => toSnakeCase(name))
    .map((name) => `${name} = COALESCE(o.${name}, t.${name})`)
    .join(', '),
);

const DELETED = columns({ id: column<Tracking['id']>('id') });

async function merge(tx: HotTx, { id, accountId, createdAt }: Decided, otherId: string): Promise<void> {
  await hotExecute(
    tx,
    Prisma.sql`
      WITH u AS (
        UPDATE public.trackings o SET ${MISSING} FROM public.trackings t
        WHERE t.id = ${id} AND t.account_id = ${accountId} AND o.id = ${otherId} AND o.account_id = ${accountId}
        RETURNING o.id, o.account_id, o.phone, o.postal_code, o.destination_country
      )
      UPDATE public.checks c SET hints = ${HINTS} FROM u WHERE c.tracking_id = u.id AND c.account_id = u.account_id`,
  );
  const deleted = await hotRows(
    tx,
    DELETED,
    (list) => Prisma.sql`
      DELETE FROM public.trackings WHERE id = ${id} AND account_id = ${accountId} RETURNING ${list}`,
  );
  if (deleted.length > 0)
    await hotExecute(
      tx,
      Prisma.sql`
        WITH counted AS (
          UPDATE public.stat_counts SET amount = amount - 1
          WHERE account_id = ${accountId} AND series = 'registered'
            AND at = date_bin('1 hour', ${createdAt.toISOString()}::timestamptz, 'epoch')
        )
        UPDATE public.quota_usage SET used = used - 1
        WHERE account_id = ${accountId} AND month = ${monthOf(createdAt).toISOString()}::date AND used > 0`,
    );
}
