import { eventsQuery, eventsResponse } from '@pts/contract/events';
import { ServiceError } from '@pts/core/errors';
import type { Db } from '@pts/db/connection/client';
import { BEGINNING, endOfEvents, isKnownPlace, listEvents, type Place } from '@pts/db/deliveries/events';
import { operation } from '../../http/operation.ts';

const DEFAULT_LIMIT = 50;
const MOST = 2n ** 63n - 1n;

/** GET /events: every event of an account, oldest first, without a gap: push's counterpart for those who poll. */
export const events = operation({
  method: 'get',
  path: '/events',
  limit: 'events',
  input: 'query',
  request: eventsQuery,
  response: eventsResponse,
  doc: {
    id: 'listEvents',
    tag: 'Events',
    summary: 'Read the feed of events',
    description:
      'Every event of the account, with or without a webhook, oldest first, each exactly as it is pushed: `id` is the `X-Webhook-Id` of its push, `data` the data of its body. Nothing is left out and nothing comes twice: keep `next_cursor`, ask again with it as `after`, and go on for ever; it is there on an empty page, too. `data.seq` numbers the events of each parcel from 1. Without `after` the feed begins with the oldest event that is kept; older ones are gone once their retention has passed. `after=latest` answers an empty page whose cursor is at the end. An event can be read a moment after it was stored. Pings are not in it.',
    example: {
      request: { after: 'ODEyLjQx', limit: '50' },
      response: {
        events: [
          {
            id: '69201f4c1b9e0c5a7d3f2e61',
            event: 'tracking_delivered',
            created_at: '2025-11-21T08:14:04Z',
            data: {
              ...{ id: '691f0a3c5d2b4e6f8a9c0d1e', tracking_number: 'YT8962646785999', carrier: 'yto' },
              ...{ status: '已签收', sub_status: 'delivered', seq: 7 },
              events: [
                { time: '2025-11-21T08:10:00Z', location: '杭州市', description: '已签收', status: 'delivered' },
              ],
            },
          },
        ],
        next_cursor: 'ODE1LjQ0',
        has_more: false,
      },
    },
  },
  async run({ db }, { account }, { after, limit: limitText }) {
    if (after === 'latest') return { events: [], next_cursor: toCursor(await endOfEvents(db)), has_more: false };
    const limit = limitText === undefined ? DEFAULT_LIMIT : Number(limitText);
    const place = after === undefined || after === '' ? BEGINNING : fromCursor(after);
    // One more than asked tells whether there is more.
    const found = await listEvents(db, { accountId: account.id, after: place, limit: limit + 1 });
    if (found.length === 0) await refuseUnknown(db, place);
    const page = found.slice(0, limit);
    return {
      events: page.map(({ id, body }) => ({ id, ...JSON.parse(body) })),
      next_cursor: toCursor(page.at(-1)?.place ?? place),
      has_more: found.length > limit,
    };
  },
});

function toCursor({ xact, position }: Place): string {
  return Buffer.from(`${xact}.${position}`).toString('base64url');
}

function fromCursor(cursor: string): Place {
  const [, xact, position] = /^(\d{1,19})\.(\d{1,19})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (xact === undefined || position === undefined || BigInt(xact) > MOST || BigInt(position) > MOST)
    throw invalidCursor('must be latest, or the next_cursor of an earlier answer');
  return { xact, position };
}

/** A cursor beyond all transactions would wait in silence until they have caught up with it. */
async function refuseUnknown(db: Db, place: Place): Promise<void> {
  if (await isKnownPlace(db, place)) return;
  throw invalidCursor('is of before this service was restored from a backup: begin again without it');
}

function invalidCursor(message: string): ServiceError {
  return new ServiceError('invalid_field', { fields: [{ field: 'after', message }] });
}
