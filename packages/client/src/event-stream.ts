import { isCursorOutdated, NoAnswerError, TrackingApiError } from './errors.ts';
import { type OpenStream, openStream } from './open-stream.ts';
import { type CallOptions, withRetries } from './request.ts';
import { statusOf } from './response.ts';
import { readServerSentEvents, type ServerSentEvent } from './sse.ts';
import type { StreamedEvent } from './types.ts';
import type { Wire } from './wire.ts';

const NAME = 'streamEvents';
/** A stream that has ended is opened again after this time: the service may be restarting. */
const AGAIN_MS = 1000;

/**
 * GET /events/stream: the events after a cursor, then each new one as it is stored, without an end. Connects again by itself.
 * After a failover of the service, events may come again. Leaving the loop ends the request.
 * @param from a cursor or `latest`, or the number of newest events to start with; defaults to the oldest event.
 * @throws TrackingApiError if the service refuses, also when events after the cursor were removed; NoAnswerError if it cannot be reached in as many tries as allowed.
 */
export async function* streamEvents(
  wire: Wire,
  from: { after?: string | undefined; last?: number | undefined },
  options: CallOptions = {},
): AsyncGenerator<StreamedEvent, void, undefined> {
  let cursor = from.after;
  for (;;) {
    const opened = await withRetries(wire, NAME, options, () =>
      open(wire, cursor === undefined ? from : { after: cursor }, options),
    );
    if ('continueAfter' in opened) {
      cursor = opened.continueAfter;
      continue;
    }
    try {
      for (;;) {
        const next = await nextOf(opened);
        if (next === null) break;
        if (next.event === 'error') {
          const refusal = refusalOf(next.data, opened.requestId);
          if (continuationOf(refusal) === null && refusal.status < 500) throw refusal;
          cursor = continuationOf(refusal) ?? cursor;
          break;
        }
        if (next.id !== '') cursor = next.id;
        if (next.data !== '') yield { ...JSON.parse(next.data), cursor };
      }
    } finally {
      opened.close();
    }
    await wire.sleep(AGAIN_MS, options.signal);
  }
}

type EventStream = OpenStream<ServerSentEvent>;

/** The stream from a place on, or the cursor that the service names instead. */
async function open(
  wire: Wire,
  query: { after?: string | undefined; last?: number | undefined },
  options: CallOptions,
): Promise<EventStream | { continueAfter: string }> {
  const request = { name: NAME, accept: 'text/event-stream', query, read: readServerSentEvents } as const;
  try {
    return await openStream(wire, request, options);
  } catch (error) {
    const cursor = continuationOf(error);
    if (cursor === null) throw error;
    return { continueAfter: cursor };
  }
}

/** A connection that was lost is the end of the stream: the next one continues it. */
async function nextOf(stream: EventStream): Promise<ServerSentEvent | null> {
  try {
    return await stream.next();
  } catch (error) {
    if (error instanceof NoAnswerError && (error.reason === 'network' || error.reason === 'timeout')) return null;
    throw error;
  }
}

/** The cursor that a refusal names to continue after, if no event is missed; null for any other error. */
export function continuationOf(error: unknown): string | null {
  return isCursorOutdated(error) && !error.eventsRemoved ? error.nextCursor : null;
}

function refusalOf(envelope: string, requestId: string | null): TrackingApiError {
  const { code, message, data } = JSON.parse(envelope);
  const { next_cursor: nextCursor, events_removed: eventsRemoved, docs_url: docsUrl } = data;
  return new TrackingApiError({
    code,
    status: statusOf(code),
    message,
    requestId,
    nextCursor,
    eventsRemoved,
    docsUrl,
  });
}
