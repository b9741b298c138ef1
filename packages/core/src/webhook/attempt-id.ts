import { periodOfMessage } from './message-id.ts';

/** 2026-01-01. */
const EPOCH_SECONDS = 1_767_225_600;
const SEQUENCE_BITS = 22n;
/** Ids follow the database's clock, other times the clocks of processes: they differ by less. */
const SLACK_SECONDS = 3600;

/** By how much an id can be lower than that of an earlier attempt. */
export const ID_SLACK = BigInt(SLACK_SECONDS) << SEQUENCE_BITS;

/** The lowest id that an attempt recorded at a time can have. As the database's function `attempt_id_at`. */
export function attemptIdAt(at: Date): bigint {
  return BigInt(Math.floor(at.getTime() / 1000) - EPOCH_SECONDS) << SEQUENCE_BITS;
}

/** Attempts of a message are not older than it: the lowest id that they can have, if it carries a time. */
export function lowestAttemptOf(messageId: string): bigint {
  const madeAt = periodOfMessage(messageId);
  return madeAt === null ? 0n : attemptIdAt(madeAt) - ID_SLACK;
}
