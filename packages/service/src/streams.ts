import { ServiceError } from '@pts/core/errors';
import {
  endStreamLease,
  LEASE_SECONDS,
  renewStreamLease,
  type StreamKind,
  takeStreamLease,
} from '@pts/db/accounts/accounts';
import { DEADLINES } from '@pts/db/pool';
import type { ServiceContext } from './context.ts';

const OF = { batch: '', export: ' of exports', events: ' of events' } as const satisfies Record<StreamKind, string>;

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
    throw new ServiceError('too_many_requests', {
      text: `An account can have ${max} open streams${OF[kind]}. Wait 120 seconds (Retry-After), or until one of your streams has ended. The RateLimit headers count requests per second, not streams.`,
    });
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
