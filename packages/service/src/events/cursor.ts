import { refusedField } from '@pts/core/faults';
import type { Place } from '@pts/core/feed/continuation';
import type { ServiceContext } from '../context.ts';

/** A place in the feed, and the server's epoch in which it was reached; null only beside 0.2.0, in its cursors. */
export type Cursor = { epochId: number | null; place: Place };

type Context = Pick<ServiceContext, 'tokens'>;

const KIND = 'events';
const MAX_INT8 = 2n ** 63n - 1n;

/** The cursor as its account sees it. In another epoch than that of 0.2.0's cursors, it has to name its own. */
export function sealCursor(
  { tokens }: Context,
  accountId: string,
  { epochId, takesPlain }: { epochId: number; takesPlain: boolean },
  { xact, position }: Place,
): string {
  if (tokens.asIn020 && takesPlain) return Buffer.from(`${xact}.${position}`).toString('base64url');
  return tokens.seal({ kind: KIND, accountId }, [BigInt(epochId), xact, position]);
}

/** @throws ServiceError `invalid_field` for anything that was not given out to this account. */
export function openCursor({ tokens }: Context, accountId: string, text: string): Cursor {
  const [epochId, xact, position] = tokens.open({ kind: KIND, accountId }, text) ?? [];
  if (epochId !== undefined && xact !== undefined && position !== undefined)
    return { epochId: Number(epochId), place: { xact, position } };
  const place = tokens.asIn020 ? plainPlace(text) : null;
  if (place) return { epochId: null, place };
  throw refusedField(
    'after',
    'must be latest or the next_cursor of an earlier response to this account; if it is one, release 0.2.0 or another key made it: start again without it, and skip events whose id you know',
  );
}

/** The form of 0.2.0, read only beside it: with forged ones, a client finds the server's transaction number. */
function plainPlace(text: string): Place | null {
  const [, xact, position] = /^(\d{1,19})\.(\d{1,19})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (xact === undefined || position === undefined || BigInt(xact) > MAX_INT8 || BigInt(position) > MAX_INT8)
    return null;
  return { xact: BigInt(xact), position: BigInt(position) };
}
