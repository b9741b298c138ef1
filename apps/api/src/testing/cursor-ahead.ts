import { sealCursor } from '@pts/service/events';
import type { TestApi } from './test-api.ts';

/** A cursor of the account that is ahead of all transactions of the server, as after its disk was set back. */
export async function cursorAhead({ db, tokens }: TestApi, accountId: string): Promise<string> {
  const { id } = await db.feedEpoch.findFirstOrThrow({ orderBy: { id: 'desc' } });
  return sealCursor({ tokens }, accountId, { epochId: id }, { xact: 2n ** 63n - 1n, position: 0n });
}
