import type { EventKind, Status, SubStatus } from '@pts/core/tracking/status';
import { MAX_TRACKING_EVENTS } from '@pts/core/webhook/endpoint';
import type { Db } from '../connection.ts';
import { column, columns, type RowOf, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import type { DeliveryState } from './attempts.ts';
import { areOfDelivery, areOfTracking } from './of-message.ts';

/** A delivery of an event, as JSON, and its last attempt. */
export type EventDelivery = {
  webhookId: string;
  state: DeliveryState;
  attempts: number;
  round: number;
  nextAttemptAt: string | null;
  /** When the event was stored, or this delivery of it by a replay. */
  createdAt: string;
  last: { id: string; startedAt: string; statusCode: number; error: string | null; durationMs: number } | null;
};

const EVENT = columns({
  id: column<string>('m.id'),
  event: column<EventKind>('m.event'),
  /** Null in messages of 0.1.0. */
  seq: column<number | null>('m.seq'),
  createdAt: column<Date>('m.created_at'),
  status: column<Status>(`m.body::json #>> '{data,status}'`),
  subStatus: column<SubStatus>(`m.body::json #>> '{data,sub_status}'`),
  deliveries: column<EventDelivery[]>('COALESCE(d.list, json_build_array())'),
});

/** An event that a tracking emitted, with what became of its pushes. */
export type TrackingMessage = RowOf<typeof EVENT>;

/** The events that a tracking emitted, newest first, as far as they are stored, and their deliveries. */
export function messagesOfTracking(
  db: Db,
  { accountId, id }: { accountId: string; id: string },
): Promise<TrackingMessage[]> {
  return rows(db, EVENT, (list) => ofTrackingStatement(accountId, id, list));
}

/** The statement of `messagesOfTracking`; a separate function, so that a test can inspect its plan. */
export function ofTrackingStatement(accountId: string, id: string, list = Prisma.raw(EVENT.list)): Prisma.Sql {
  return Prisma.sql`
    WITH newest AS MATERIALIZED (
      SELECT * FROM public.messages WHERE account_id = ${accountId} AND ${areOfTracking(id)}
      ORDER BY seq DESC NULLS LAST, position DESC LIMIT ${Prisma.raw(String(MAX_TRACKING_EVENTS))}
    )
    SELECT ${list} FROM newest m CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object(
          'webhookId', d.webhook_id, 'state', d.state, 'attempts', d.attempts, 'round', d.round,
          'createdAt', d.created_at, 'nextAttemptAt', CASE WHEN d.state = 'owed' THEN d.next_attempt_at END, 'last', a.last)
        ORDER BY d.id) AS list
      FROM public.deliveries d LEFT JOIN LATERAL (
        SELECT json_build_object('id', id, 'startedAt', started_at, 'statusCode', status_code, 'error', error,
          'durationMs', duration_ms) AS last
        FROM public.delivery_attempts
        WHERE account_id = ${accountId} AND ${areOfDelivery(Prisma.sql`public.history_id_at(m.created_at - interval '1 hour')`)}
        ORDER BY round DESC, attempt DESC LIMIT 1) a ON true
      WHERE d.message_id = m.id AND d.account_id = ${accountId}) d
    ORDER BY m.seq DESC NULLS LAST, m.position DESC`;
}
