import { createHash } from 'node:crypto';
import { lowestId } from '../id.ts';

/** A day has 1.3 periods: the first four characters of an id change every 18 hours. Those of a ping's id do, too. */
const PERIOD_SECONDS = 2 ** 16;
const PERIOD_CHARACTERS = 4;
const HASH_CHARACTERS = 20;
/** Ids of attempts follow the database's clock, those of messages the clocks of processes: they differ by less. */
export const CLOCK_SLACK_MS = 3_600_000;

/**
 * The id of a tracking event: it depends on what is pushed (parcel, sequence number, content), not on when, so that an event that
 * is stored a second time under its number is not stored, or pushed, as another one.
 * Ids sort by time in steps of 18 hours: the rows of an index that are in use stay together.
 * @param data the body's `data`, as JSON.
 */
export function messageId(event: string, at: Date, data: string): string {
  return messageIdAt(at) + createHash('sha256').update(`${event}\n${data}`).digest('hex').slice(0, HASH_CHARACTERS);
}

/** The lowest id that a message made at a time can have: its period. As the database's function `history_id_at`. */
export function messageIdAt(at: Date): string {
  return Math.max(0, Math.floor(at.getTime() / 1000 / PERIOD_SECONDS))
    .toString(16)
    .padStart(PERIOD_CHARACTERS, '0');
}

/** An id above those of all messages that were made up to a time: of a day later, which is more than a period. */
export function messageIdAfter(at: Date): string {
  return messageIdAt(new Date(at.getTime() + 24 * 3_600_000));
}

/** The beginning of the period in which a message was made, by its id; null for a text that is not an id. */
export function periodOfMessage(id: string): Date | null {
  const period = Number.parseInt(id.slice(0, PERIOD_CHARACTERS), 16);
  return Number.isNaN(period) ? null : new Date(period * PERIOD_SECONDS * 1000);
}

/** Attempts of a message are not older than it: an id that theirs are not lower than. */
export function lowestAttemptOf(messageId: string): string {
  const madeAt = periodOfMessage(messageId);
  return madeAt === null ? '' : lowestId(new Date(madeAt.getTime() - CLOCK_SLACK_MS));
}
