import { isUnconfirmed } from '@pts/core/tracking/change';
import { checkAfter, expiresAt } from '@pts/core/tracking/schedule';
import { column, columns, type HotTx, hotRows, type RowOf } from '../connection.ts';
import { type Check, Prisma } from '../generated/client.ts';
import { accountsIn, type Outcome, updateTrackings } from './answer-snapshot.ts';
import { type Cadence, jittered, regularSeconds } from './schedule.ts';

const REQUEST = columns({
  trackingId: column<Check['trackingId']>('c.tracking_id'),
  requestId: column<Check['requestId']>('c.request_id'),
});

/**
 * Stores the snapshots after answers, and the checks: their fingerprints, and when they are due if they are.
 * @returns by tracking, the request that registered it, where that is known.
 */
export async function storeOutcomes(
  tx: HotTx,
  outcomes: readonly Outcome[],
  cadence: Cadence,
  now: Date,
): Promise<Map<string, string>> {
  const checks = outcomes
    .filter(({ step }) => step?.kind !== 'ask')
    .map((outcome) => ({ outcome, next: nextOf(outcome, now) }));
  const ended = await deleteEnded(tx, checks);
  // One statement for both: a round trip costs more than most of these rows.
  const updated = await hotRows(
    tx,
    REQUEST,
    (list) =>
      Prisma.sql`WITH stored AS (${updateTrackings(outcomes, now)}) ${updateChecks(checks, cadence, now)} RETURNING ${list}`,
  );
  return new Map(
    [...ended, ...updated].flatMap((row) => (row.requestId === null ? [] : [[row.trackingId, row.requestId]])),
  );
}

/** Whether and when a parcel is checked again after an answer. */
type CheckAfter = { outcome: Outcome; next: ReturnType<typeof checkAfter> };

function nextOf({ change, lastAnswer, finalLook }: Outcome, now: Date): CheckAfter['next'] {
  return checkAfter({ subStatus: change.after.subStatus, answered: lastAnswer ?? null, finalLook }, now);
}

/** Those of parcels that need no more checks. */
async function deleteEnded(tx: HotTx, checks: readonly CheckAfter[]): Promise<RowOf<typeof REQUEST>[]> {
  const ended = checks.filter(({ next }) => next.watch === 'never').map(({ outcome }) => outcome);
  if (ended.length === 0) return [];
  return hotRows(
    tx,
    REQUEST,
    (list) => Prisma.sql`
      DELETE FROM public.checks c
      WHERE c.tracking_id = ANY(${ended.map(({ tracking }) => tracking.id)}::text[])
        AND c.account_id = ANY(${accountsIn(ended)}::text[])
      RETURNING ${list}`,
  );
}

/** The statement that stores the checks after answers: their fingerprints and when they are due. */
function updateChecks(checks: readonly CheckAfter[], cadence: Cadence, now: Date): Prisma.Sql {
  const rows = checks.flatMap(({ outcome: { tracking, fingerprint, change }, next }) => {
    if (next.watch === 'never') return [];
    return {
      id: tracking.id,
      account_id: tracking.accountId,
      fingerprint,
      // A quarantined answer is queried again and compared with the last answer that was folded in.
      keeps_fingerprint: isUnconfirmed(change),
      final_at: next.watch === 'once-more' ? next.at : null,
      expires_at: change.emits.length > 0 ? expiresAt(now) : null,
    };
  });
  const at = now.toISOString();
  // A first answer ends the lease of its claim; later ones keep the time that their claim set.
  return Prisma.sql`
    UPDATE public.checks c SET final_look = r.final_at IS NOT NULL,
      fingerprint = CASE WHEN r.keeps_fingerprint THEN c.fingerprint ELSE r.fingerprint END,
      next_check_at = CASE WHEN r.final_at IS NOT NULL THEN r.final_at
        WHEN c.fingerprint IS NULL OR c.final_look THEN ${at}::timestamptz + ${jittered(regularSeconds(cadence), cadence)}
        ELSE c.next_check_at END,
      expires_at = COALESCE(r.expires_at, c.expires_at), failure = NULL, failing_since = NULL
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
      id text, account_id text, fingerprint text, keeps_fingerprint boolean, final_at timestamptz, expires_at timestamptz)
    WHERE c.tracking_id = r.id AND c.account_id = r.account_id AND c.tracking_id = ANY(${rows.map(({ id }) => id)}::text[])
      AND c.account_id = ANY(${accountsIn(checks.map(({ outcome }) => outcome))}::text[])`;
}
