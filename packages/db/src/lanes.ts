import type { Lane, TransitTimes } from '@pts/core/estimates';
import { TEST_PROVIDER } from '@pts/core/provider';
import type { Annotations } from '@pts/core/tracking/change';
import type { Pieces } from '@pts/core/tracking/derive';
import type { Scan } from '@pts/core/tracking/scan';
import { messageIdAt } from '@pts/core/webhook/push';
import type { Db, Tx } from './connection.ts';
import { column, columns, columnsOf, rows } from './connection.ts';
import { type Message, Prisma, type Tracking } from './generated/client.ts';

/** A parcel that was delivered, with its history. */
export type DeliveredParcel = {
  carrier: string;
  scans: Scan[];
  pieces?: Pieces | null | undefined;
  destinationCountry: string | null;
};

/** One parcel's contribution to a lane. */
export type LaneSample = Lane & { hours: number; weight: number };

/** Deliveries read in one round. */
const ROUND_SIZE = 500;
/** The first round begins this many days ago. */
const FIRST_DAYS = 60;

const DELIVERED = columns({
  createdAt: column<Message['createdAt']>('m.created_at'),
  carrier: column<Tracking['carrier']>('t.carrier'),
  scans: column<Scan[]>('t.events'),
  pieces: column<Pieces | null>("t.annotations -> 'pieces'"),
  destinationCountry: column<Tracking['destinationCountry']>('t.destination_country'),
});

/**
 * Adds the parcels that were delivered since the last round to the lanes' transit times, each once; none of test
 * accounts. Of several processes one does it; a delivery that commits late is left out, which only costs a sample.
 * @returns whether there are more.
 */
export async function learnLanes(
  db: Db,
  samplesOf: (parcel: DeliveredParcel) => LaneSample[],
  now: Date,
): Promise<{ parcels: number; more: boolean }> {
  const first = new Date(now.getTime() - FIRST_DAYS * 86_400_000);
  await db.laneProgress.createMany({ data: [{ learnedUntil: first }], skipDuplicates: true });
  return db.$transaction(async (tx) => {
    const since = await takeProgress(tx);
    if (since === null) return { parcels: 0, more: false };
    const parcels = await rows(
      tx,
      DELIVERED,
      (list) => Prisma.sql`
      SELECT ${list} FROM public.messages m JOIN public.trackings t ON t.id = m.tracking_id AND t.account_id = m.account_id
      WHERE m.id >= ${messageIdAt(since)} AND m.created_at > ${since.toISOString()}::timestamptz AND m.created_at <= ${now.toISOString()}::timestamptz
        AND m.event = 'tracking_delivered' AND t.provider <> ${TEST_PROVIDER}
      ORDER BY m.created_at LIMIT ${ROUND_SIZE}`,
    );
    const more = parcels.length === ROUND_SIZE;
    await addSamples(tx, parcels.flatMap(samplesOf));
    const learnedUntil = more ? parcels.at(-1)?.createdAt : now;
    // Behind a clock that was set back, parcels would count once more.
    if (learnedUntil && learnedUntil > since)
      await tx.laneProgress.update({ where: { id: 1 }, data: { learnedUntil } });
    return { parcels: parcels.length, more };
  });
}

/** Trackings read in one statement. */
const PAGE_SIZE = 1000;

/** Every stored parcel that was delivered. Reads the whole table, page by page. */
export async function readDelivered(db: Db): Promise<DeliveredParcel[]> {
  const found: DeliveredParcel[] = [];
  for (let after = ''; ; ) {
    const page = await db.tracking.findMany({
      where: { id: { gt: after }, provider: { not: TEST_PROVIDER } },
      orderBy: { id: 'asc' },
      take: PAGE_SIZE,
      select: { id: true, carrier: true, events: true, annotations: true, destinationCountry: true, status: true },
    });
    const delivered = page.filter(({ status }) => status === '已签收');
    found.push(
      ...delivered.map(({ events, annotations, ...parcel }) => ({
        ...parcel,
        scans: events as Scan[],
        pieces: (annotations as Annotations | null)?.pieces,
      })),
    );
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return found;
    after = last.id;
  }
}

const PROGRESS = columns({ learnedUntil: column<Date>('learned_until') });

/** Locks the progress for this transaction; null while another process has it. */
async function takeProgress(tx: Tx): Promise<Date | null> {
  const [row] = await rows(
    tx,
    PROGRESS,
    (list) => Prisma.sql`SELECT ${list} FROM public.lane_progress WHERE id = 1 FOR UPDATE SKIP LOCKED`,
  );
  return row?.learnedUntil ?? null;
}

async function addSamples(tx: Tx, samples: readonly LaneSample[]): Promise<void> {
  if (samples.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO public.lane_times AS l (carrier, origin, destination, hours, weight)
    SELECT carrier, origin, destination, hours, sum(weight)
    FROM jsonb_to_recordset(${JSON.stringify(samples)}::jsonb) AS s(
      carrier text, origin text, destination text, hours int2, weight float8)
    GROUP BY carrier, origin, destination, hours
    ON CONFLICT (carrier, origin, destination, hours) DO UPDATE SET weight = l.weight + excluded.weight`;
}

const TIMES = columns({
  ...columnsOf<Lane>('l')('carrier', 'origin', 'destination'),
  times: column<TransitTimes>("jsonb_agg(jsonb_build_object('hours', l.hours, 'weight', l.weight))"),
});

/** The transit times of lanes; lanes that no parcel took are left out. */
export async function findLaneTimes(db: Db, lanes: readonly Lane[]): Promise<(Lane & { times: TransitTimes })[]> {
  if (lanes.length === 0) return [];
  return rows(
    db,
    TIMES,
    (list) => Prisma.sql`
    SELECT ${list} FROM public.lane_times l
    JOIN jsonb_to_recordset(${JSON.stringify(lanes)}::jsonb) AS w(carrier text, origin text, destination text)
      USING (carrier, origin, destination)
    GROUP BY l.carrier, l.origin, l.destination`,
  );
}
