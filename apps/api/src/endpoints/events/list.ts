import { pageLimitAsNumber } from '@pts/contract/common';
import { listEvents as contract } from '@pts/contract/operations/events';
import { refusedField } from '@pts/core/faults';
import { readTrackingBody } from '@pts/core/webhook/payload';
import type { Db } from '@pts/db/connection/client';
import { BEGINNING, endOfEvents, isKnownPlace, listEvents as list, type Place } from '@pts/db/deliveries/events';
import { operation } from '../../http/operation.ts';

const MOST = 2n ** 63n - 1n;

/** GET /events */
export const listEvents = operation(contract, {
  async run({ db }, { account }, { after, limit: limitText }) {
    if (after === 'latest') return { events: [], next_cursor: toCursor(await endOfEvents(db)), has_more: false };
    const limit = limitText === undefined ? pageLimitAsNumber.default : Number(limitText);
    const place = after === undefined || after === '' ? BEGINNING : fromCursor(after);
    // One more than requested shows whether there is more.
    const found = await list(db, { accountId: account.id, after: place, limit: limit + 1 });
    if (found.length === 0) await refuseUnknown(db, place);
    const page = found.slice(0, limit);
    return {
      events: page.map(({ id, body }) => ({ id, ...readTrackingBody(body) })),
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
    throw refusedField('after', 'must be latest or the next_cursor of an earlier response');
  return { xact, position };
}

/** A cursor beyond all transactions would return nothing until they catch up with it. */
async function refuseUnknown(db: Db, place: Place): Promise<void> {
  if (await isKnownPlace(db, place)) return;
  throw refusedField('after', 'is from before this service was restored from a backup; start again without it');
}
