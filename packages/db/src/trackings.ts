import type { Scan, TrackingEvent } from '@pts/core/tracking/scan';
import { expiresAt, RETRACK_INTERVAL_SECONDS } from '@pts/core/tracking/schedule';
import { isSubStatus, type Status, type SubStatus, watchOf } from '@pts/core/tracking/status';
import type { Db } from './client.ts';

/** A tracking as it is read back, with what its check says about the past and the next look. */
export type TrackingRecord = {
  id: string;
  trackingNumber: string;
  carrier: string;
  detected: boolean;
  provider: string;
  status: Status;
  subStatus: SubStatus;
  events: Scan[];
  notice: string | null;
  phone: string | null;
  postalCode: string | null;
  destinationCountry: string | null;
  orderId: string | null;
  title: string | null;
  metadata: Record<string, string> | null;
  createdAt: Date;
  updatedAt: Date;
  lastCheckedAt: Date | null;
  /** Null: the parcel is watched no longer. */
  nextCheckAt: Date | null;
};

/** The trackings of an account under these numbers; a number may be registered with several carriers. */
export async function findByNumbers(db: Db, accountId: string, numbers: readonly string[]): Promise<TrackingRecord[]> {
  return db.$queryRaw<TrackingRecord[]>`
    SELECT t.id, t.tracking_number AS "trackingNumber", t.carrier, t.detected, t.provider, t.status, t.sub_status AS "subStatus",
      t.events, t.notice, t.phone, t.postal_code AS "postalCode", t.destination_country AS "destinationCountry",
      t.order_id AS "orderId", t.title, t.metadata, t.created_at AS "createdAt", t.updated_at AS "updatedAt",
      GREATEST(c.claimed_at, t.answered_at) AS "lastCheckedAt",
      GREATEST(c.next_check_at, p.paused_until) AS "nextCheckAt"
    FROM trackings t
    LEFT JOIN checks c ON c.tracking_id = t.id
    LEFT JOIN provider_pauses p ON p.provider = c.provider AND c.tracking_id IS NOT NULL
    WHERE t.account_id = ${accountId} AND t.tracking_number = ANY(${[...numbers]}::text[])
    ORDER BY t.created_at, t.id`;
}

export type ShipmentRow = {
  id: string;
  trackingNumber: string;
  carrier: string;
  status: string;
  subStatus: string;
  latestEvent: TrackingEvent | null;
  updatedAt: Date;
};

export type ShipmentFilter = {
  accountId: string;
  status?: string;
  subStatus?: string;
  ids?: readonly string[];
  /** The last row of the page before. */
  after?: { updatedAt: Date; id: string };
  limit: number;
};

/** A page of an account's shipments, newest update first. Keyset paging: every page costs the same. */
export async function listShipments(db: Db, filter: ShipmentFilter): Promise<ShipmentRow[]> {
  const { accountId, status, subStatus, ids, after, limit } = filter;
  const rows = await db.tracking.findMany({
    where: {
      accountId,
      ...(status === undefined ? {} : { status }),
      ...(subStatus === undefined ? {} : { subStatus }),
      ...(ids === undefined ? {} : { id: { in: [...ids] } }),
      ...(after === undefined
        ? {}
        : { updatedAt: { lte: after.updatedAt }, NOT: { updatedAt: after.updatedAt, id: { gte: after.id } } }),
    },
    orderBy: [{ updatedAt: 'desc' }, { id: 'desc' }],
    take: limit,
    select: {
      id: true,
      trackingNumber: true,
      carrier: true,
      status: true,
      subStatus: true,
      latestEvent: true,
      updatedAt: true,
    },
  });
  return rows.map((row) => ({ ...row, latestEvent: row.latestEvent as TrackingEvent | null }));
}

/** The provider that serves a tracking of this account; null when there is no such tracking. */
export async function findProvider(db: Db, accountId: string, id: string): Promise<string | null> {
  const row = await db.tracking.findFirst({ where: { id, accountId }, select: { provider: true } });
  return row?.provider ?? null;
}

export type RetrackResult =
  | { kind: 'retracked'; id: string; status: string; provider: string }
  | { kind: 'too_soon'; retryAfterSeconds: number }
  | { kind: 'not_registered' };

/**
 * Has a tracking asked about again, at most once an hour (spec section 3, rule 4): the database decides. Its check is
 * due as soon as the provider's floor allows; a parcel that was watched no longer is watched again.
 */
export async function retrack(
  db: Db,
  input: { accountId: string; id: string; floorSeconds: number; now: Date },
): Promise<RetrackResult> {
  const { accountId, id, now } = input;
  const allowedBefore = new Date(now.getTime() - RETRACK_INTERVAL_SECONDS * 1000);
  return db.$transaction(async (tx) => {
    const { count } = await tx.tracking.updateMany({
      where: { id, accountId, OR: [{ retrackedAt: null }, { retrackedAt: { lte: allowedBefore } }] },
      data: { retrackedAt: now },
    });
    const row = await tx.tracking.findFirst({ where: { id, accountId }, include: { check: true } });
    if (!row) return { kind: 'not_registered' };
    if (count === 0) {
      const elapsed = (now.getTime() - (row.retrackedAt ?? now).getTime()) / 1000;
      return { kind: 'too_soon', retryAfterSeconds: Math.max(1, Math.ceil(RETRACK_INTERVAL_SECONDS - elapsed)) };
    }
    const lastAsked = row.check?.claimedAt?.getTime() ?? row.answeredAt?.getTime() ?? 0;
    const nextCheckAt = new Date(Math.max(now.getTime(), lastAsked + input.floorSeconds * 1000));
    const hints = hintsOf(row);
    await tx.check.upsert({
      where: { trackingId: id },
      create: {
        trackingId: id,
        accountId,
        provider: row.provider,
        carrier: row.carrier,
        trackingNumber: row.trackingNumber,
        nextCheckAt,
        expiresAt: expiresAt(now),
        ...(hints === null ? {} : { hints }),
      },
      update: { nextCheckAt, finalLook: false, expiresAt: expiresAt(now), ...storeAgain(row.subStatus) },
    });
    return { kind: 'retracked', id, status: row.status, provider: row.provider };
  });
}

/** An arrived parcel's answer is stored even if it is unchanged: that ends its watch again after one more look. */
function storeAgain(subStatus: string): { fingerprint?: null } {
  return isSubStatus(subStatus) && watchOf(subStatus) === 'once-more' ? { fingerprint: null } : {};
}

function hintsOf(row: {
  phone: string | null;
  postalCode: string | null;
  destinationCountry: string | null;
}): Record<string, string> | null {
  const { phone, postalCode, destinationCountry } = row;
  const given = Object.entries({ phone, postalCode, destinationCountry }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return given.length === 0 ? null : Object.fromEntries(given);
}
