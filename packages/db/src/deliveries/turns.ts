import type { HotTx } from '../connection/hot.ts';

/** How long a turn lasts unless it is renewed, by the clock of the database. */
const LEASE_SECONDS = 5;

/**
 * Takes the turns of endpoints for a process, so that no other process works for them. Hand-written: Prisma's upserts
 * take no condition. The rows are locked in one order, so that processes do not deadlock.
 * @returns the endpoints whose turn it got: those that no other process holds.
 */
export async function takeTurns({ $hot }: HotTx, holder: string, webhookIds: readonly string[]): Promise<string[]> {
  const rows = await $hot(
    `INSERT INTO public.endpoint_turns AS t (webhook_id, holder, expires_at)
     SELECT DISTINCT id, $2, clock_timestamp() + make_interval(secs => $3) FROM unnest($1::text[]) AS id ORDER BY id
     ON CONFLICT (webhook_id) DO UPDATE SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at
     WHERE t.holder = EXCLUDED.holder OR t.expires_at <= clock_timestamp()
     RETURNING webhook_id AS id`,
    [webhookIds, holder, LEASE_SECONDS],
  );
  return rows.map(({ id }) => id);
}

/** Renews turns that the process still holds. A row that another process has locked is left for the next time. */
export async function renewTurns({ $hot }: HotTx, holder: string, webhookIds: readonly string[]): Promise<void> {
  await $hot(
    `UPDATE public.endpoint_turns SET expires_at = clock_timestamp() + make_interval(secs => $3)
     WHERE webhook_id = ANY (ARRAY(
       SELECT webhook_id FROM public.endpoint_turns WHERE webhook_id = ANY ($1::text[]) AND holder = $2
       FOR UPDATE SKIP LOCKED))`,
    [webhookIds, holder, LEASE_SECONDS],
  );
}

/** Ends turns of the process: any process can take them. */
export async function endTurns({ $hot }: HotTx, holder: string, webhookIds: readonly string[]): Promise<void> {
  await $hot(
    `DELETE FROM public.endpoint_turns WHERE webhook_id = ANY (ARRAY(
       SELECT webhook_id FROM public.endpoint_turns WHERE webhook_id = ANY ($1::text[]) AND holder = $2
       ORDER BY webhook_id FOR UPDATE))`,
    [webhookIds, holder],
  );
}

/** The endpoints for which any process works at the moment. */
export async function endpointsAtWork({ $hot }: HotTx): Promise<string[]> {
  const rows = await $hot(
    'SELECT webhook_id AS id FROM public.endpoint_turns WHERE expires_at > clock_timestamp()',
    [],
  );
  return rows.map(({ id }) => id);
}
