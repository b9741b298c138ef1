import { ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import {
  endStreamLease,
  LEASE_SECONDS,
  renewStreamLease,
  type StreamKind,
  takeStreamLease,
} from '@pts/db/accounts/accounts';
import { DEADLINES } from '@pts/db/pool';
import type { ServiceContext } from './context.ts';

const OF = { batch: '', export: message('of_exports'), events: message('of_events') } as const satisfies Record<
  StreamKind,
  unknown
>;

/**
 * Runs a stream under a lease, which limits the open streams of an account over all replicas, even if one of these has
 * crashed.
 * @throws ServiceError `too_many_requests` when the account has as many already.
 */
export async function withStreamLease(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { accountId, kind, max }: { accountId: string; kind: StreamKind; max: number },
  run: () => Promise<void>,
): Promise<void> {
  const id = await takeStreamLease(db, { accountId, kind, max, now: now() });
  if (id === null)
    throw new ServiceError('too_many_requests', { text: message('too_many_streams', { max, of: OF[kind] }) });
  const lease = { accountId, id };
  // A stream outlives the deadline of its request.
  const patient = db.$within(DEADLINES.statement);
  const renew = () => renewStreamLease(patient, lease, kind, now()).catch(() => {});
  const renewal = setInterval(renew, (LEASE_SECONDS[kind] * 1000) / 3);
  try {
    await run();
  } finally {
    clearInterval(renewal);
    await endStreamLease(patient, lease);
  }
}
