import { timeOfId } from '../id.ts';

/** Bodies are compact JSON, in which no text of a carrier has an unescaped quote; their events are the oldest first. */
const MARKS = { created: '"created_at":"', reason: '"reason":"', events: '"events":[', scan: '{"time":"' };
/** `2026-01-02T03:04:05Z` */
const TIME_LENGTH = 20;

/**
 * The seconds from the newest scan of an event to the event, without parsing its whole body.
 * @returns null for what no new scan has caused: a ping, a conclusion (`reason`), and the history that a parcel had when it was
 * registered.
 */
export function scanLagSeconds(body: string, trackingId: string): number | null {
  const events = body.indexOf(MARKS.events);
  const scan = body.lastIndexOf(MARKS.scan);
  if (events < 0 || scan < events || body.lastIndexOf(MARKS.reason, events) >= 0) return null;
  const scannedAt = timeAt(body, scan + MARKS.scan.length);
  const createdAt = timeAt(body, body.indexOf(MARKS.created) + MARKS.created.length);
  if (!(scannedAt >= timeOfId(trackingId))) return null;
  // Clocks of carriers may be ahead of ours.
  return Math.max(0, createdAt - scannedAt) / 1000;
}

function timeAt(body: string, index: number): number {
  return Date.parse(body.slice(index, index + TIME_LENGTH));
}
