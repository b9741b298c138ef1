import type { FeedPosition } from '@pts/core/continuation';
import { refusedField } from '@pts/core/errors';
import type { ServiceContext } from '../context.ts';

/** A place in the feed, and the server's epoch in which it was reached. */
export type Cursor = { epochId: number; place: FeedPosition };

type Context = Pick<ServiceContext, 'tokens'>;

const KIND = 'events';

/** The cursor as its account sees it. */
export function sealCursor(
  { tokens }: Context,
  accountId: string,
  { epochId }: { epochId: number },
  { xact, position }: FeedPosition,
): string {
  return tokens.seal({ kind: KIND, accountId }, [BigInt(epochId), xact, position]);
}

/** @throws ServiceError `invalid_field` for anything that was not given out to this account. */
export function openCursor({ tokens }: Context, accountId: string, text: string): Cursor {
  const [epochId, xact, position] = tokens.open({ kind: KIND, accountId }, text) ?? [];
  if (epochId !== undefined && xact !== undefined && position !== undefined)
    return { epochId: Number(epochId), place: { xact, position } };
  throw refusedField(
    'after',
    'must be latest or the next_cursor of an earlier response to this account; if it is one, another key made it: start again without it, and skip events whose id you know',
  );
}
