import { parseTrack } from '@pts/carriers/providers/sandbox/parse';
import { boundAnswer, fingerprintOf } from '@pts/core/tracking/answer';
import { applyAnswer } from '@pts/core/tracking/change';
import { lastAnswerOf } from '@pts/db/checks/answers';
import type { Db } from '@pts/db/connection';
import { type SeedLot, seedTrackings } from '@pts/db/trackings/seed';
import { toResult } from '@pts/sandbox-carrier/carrier';
import { journey } from '@pts/sandbox-carrier/journey';
import { type Lot, lotOf, lotPrefix, MAX_SECONDS_BETWEEN } from '@pts/sandbox-carrier/stories';

/**
 * Registers parcels of the sandbox carrier that look as if they had been tracked for a while, with progress on stderr.
 */
export async function seedParcels(
  db: Db,
  input: {
    accountId: string;
    total: number;
    changing: number;
    intervalSeconds: number;
    now: Date;
    /** When the interval begins over which the checks are spread; default: now. */
    dueFrom?: Date;
    /** Each check has a time of its own; otherwise they are in slots. */
    apart?: boolean;
  },
  onProgress: (stored: number) => void,
): Promise<void> {
  const lots = seedLots(input);
  const { dueFrom = input.now } = input;
  await seedTrackings(db, { ...input, dueFrom, carrier: 'sandbox', provider: 'sandbox', lots }, onProgress);
}

const LOTS = 512;
const PROVIDER = 'sandbox';
const HOUR_MS = 3_600_000;
/** Parcels without anything new were registered this long ago. */
const STILL_HOURS = { min: 12, max: 60 };
/** The initial number of scans of parcels with news. */
const SCANS = 4;

/**
 * Lots of parcels in the order of their registration, with the history that the sandbox carrier reports about them at
 * `now`.
 * @param changing share of checks that find something new, if a parcel is checked every `intervalSeconds`.
 */
function seedLots(input: { changing: number; intervalSeconds: number; now: Date }): SeedLot[] {
  const { changing, intervalSeconds, now } = input;
  const wanted = changing === 0 ? 0 : Math.max(1, Math.round(intervalSeconds / changing));
  const everySeconds = Math.min(wanted, MAX_SECONDS_BETWEEN);
  return Array.from({ length: LOTS }, (_, n) => {
    const age = 1 - (n + 0.5) / LOTS;
    const { min, max } = STILL_HOURS;
    const agoMs = everySeconds === 0 ? (min + age * (max - min)) * HOUR_MS : (SCANS - 1 + age) * everySeconds * 1000;
    return seedLot({ startsAt: new Date(now.getTime() - agoMs), everySeconds }, now);
  });
}

/** The data that the poller would store from the sandbox's answer about a parcel of the lot. */
export function seedLot(lot: Lot, now: Date): SeedLot {
  const prefix = lotPrefix(lot);
  const known = lotOf(`${prefix}${'0'.repeat(9)}`);
  if (!known) throw new Error(`the sandbox does not know ${prefix}`);
  const { number, startsAt } = known;
  const result = toResult(number, journey(number, startsAt, now, 1));
  const response = { kind: 'response', status: 200, headers: {}, text: JSON.stringify({ results: [result] }) } as const;
  const [given] = parseTrack(response, [number]);
  if (given?.kind !== 'found') throw new Error(`the sandbox answers ${given?.kind} about ${number}`);
  const answer = boundAnswer(given);
  const before = { scans: [], status: '查询中', subStatus: 'pending', notice: null } as const;
  const context = { now, registeredAt: startsAt, provider: PROVIDER };
  const { after } = applyAnswer({ ...before, scans: [] }, answer, context);
  return {
    prefix,
    scans: after.scans,
    status: after.status,
    subStatus: after.subStatus,
    ...(after.annotations === undefined ? {} : { annotations: after.annotations }),
    fingerprint: fingerprintOf(answer, now) ?? '',
    lastAnswer: lastAnswerOf({ answer, latencyMs: 5 }, new Date(after.scans.at(-1)?.time ?? now)),
    // Each scan was an update.
    seq: after.scans.length,
    registeredAt: startsAt,
  };
}

const EVERY_MS = 1000;

/** Shows the progress of long work, once a second: `seeded 120,000 of 1,000,000 (12 %), 8,000/s, 110 s left`. */
export function showProgress(total: number, write: (line: string) => void, nowMs = () => performance.now()) {
  const startedAt = nowMs();
  let shownAt = startedAt;
  return (done: number): void => {
    if (done < total && nowMs() - shownAt < EVERY_MS) return;
    shownAt = nowMs();
    write(progressLine(done, total, (shownAt - startedAt) / 1000));
  };
}

export function progressLine(done: number, total: number, seconds: number): string {
  const rate = done / Math.max(seconds, 0.001);
  const percent = Math.floor((done / total) * 100);
  const rest = done < total ? `${Math.ceil((total - done) / rate)} s left` : `${seconds.toFixed(1)} s`;
  const counted = (value: number) => Math.round(value).toLocaleString('en-US');
  return `seeded ${counted(done)} of ${counted(total)} (${percent} %), ${counted(rate)}/s, ${rest}`;
}
