import { freshNumber, newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import { type Cadence, type Claim, takeDue } from '../checks/schedule.ts';
import type { Db } from '../connection.ts';
import { findByIds } from '../trackings/records.ts';

export const START = new Date('2031-04-05T06:00:00Z');
export const CADENCE: Cadence = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };

/** A provider's parcels, and a clock that the test moves: every claimed check counts as made. */
export async function watchedParcels(
  db: Db,
  provider: string,
  count: number,
  options: { cadence?: Cadence; monitored?: boolean; due?: (index: number) => Date } = {},
) {
  const account = await newAccount(db, START);
  if (options.monitored ?? true) await newWebhook(db, account, START);
  const ids = await newTrackings(db, account, Array.from({ length: count }, freshNumber), START, { provider });
  await db.check.updateMany({ where: { provider }, data: { fingerprint: 'seen' } });
  for (const [index, trackingId] of options.due ? ids.entries() : [])
    await db.check.update({ where: { trackingId }, data: { nextCheckAt: options.due?.(index) ?? START } });
  let atMs = START.getTime();
  let cadence = options.cadence ?? CADENCE;
  const requested = new Map<string, number[]>(ids.map((id) => [id, []]));
  const now = () => new Date(atMs);
  const take = (limit = 1000, more: Partial<Claim> = {}) =>
    takeDue(db, { provider, limit, cadence, now: now(), ...more });
  const note = (checks: readonly { trackingId: string }[]) => {
    for (const { trackingId } of checks) requested.get(trackingId)?.push((atMs - START.getTime()) / 1000);
  };
  const claim = async (limit = 1000) => {
    const taken = await take(limit);
    await taken.settle();
    note(taken.checks);
    return taken;
  };
  return {
    account,
    ids,
    /** When each was checked: seconds since the start. */
    requested,
    now,
    take,
    note,
    claim,
    setCadence: (other: Cadence) => {
      cadence = other;
    },
    pass: (seconds: number) => {
      atMs += seconds * 1000;
    },
    /** Claims everything due, every `step` seconds. */
    run: async (seconds: number, step: number, each: () => Promise<void> = async () => {}) => {
      for (const end = atMs + seconds * 1000; atMs < end; ) {
        atMs += step * 1000;
        await each();
        while ((await claim()).more);
      }
    },
    /** Seconds between two checks of the same parcel. */
    gaps: () =>
      [...requested.values()].flatMap((times) => times.slice(1).map((time, index) => time - (times[index] ?? 0))),
    /** Seconds from now until each is due, as its record says. */
    waits: async () => {
      const records = await findByIds(db, account, ids);
      return new Map(records.map(({ id, nextCheckAt }) => [id, ((nextCheckAt?.getTime() ?? 0) - atMs) / 1000]));
    },
  };
}
