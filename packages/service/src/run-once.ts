import { ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import {
  claimKey,
  KEPT_HOURS,
  type KeyedRequest,
  keepAnswer,
  RUN_LEASE_SECONDS,
  releaseKey,
  renewRun,
} from '@pts/db/accounts/idempotency-keys';
import { freshId } from '@pts/db/ids';
import { DEADLINES, within } from '@pts/db/pool';
import type { ServiceContext } from './context.ts';

/** An answer as it is sent: its HTTP status and its body. */
type Answer = { status: number; body: string };

type Context = Pick<ServiceContext, 'db' | 'secretCipher' | 'now'>;

/** A longer body is not kept. */
const MAX_BODY = 128 * 1024;
/** How long an answer waits for its key to be released or kept. */
const SETTLE_MS = 500;

/**
 * Runs a request once under its Idempotency-Key: for 24 hours, the same request gets the same answer, without another
 * run. Answers are encrypted, because some have secrets. A failure leaves the key free: nothing has changed, and what
 * was refused may be allowed later. A crash in the middle blocks the key for seconds: the request then runs again.
 * @throws what `work` throws, and ServiceError `conflict` while the request is running, and for another request under
 *   its key.
 */
export async function runOnce(
  { db, secretCipher, now }: Context,
  request: KeyedRequest,
  work: () => Promise<Answer>,
): Promise<Answer & { isReplay: boolean }> {
  // What follows an answer has more time than the request.
  const patient = db.$within(DEADLINES.statement);
  const run = { accountId: request.accountId, key: request.key, holder: freshId(now()) };
  const claimed = await claimKey(db, { ...request, ...run }, now()).catch(async (error: unknown) => {
    // It may have been claimed nonetheless.
    await settled(() => releaseKey(patient, run));
    throw error;
  });
  switch (claimed.kind) {
    case 'other':
      throw new ServiceError('conflict', { text: message('key_of_other_request', { hours: KEPT_HOURS }) });
    case 'running':
      throw stillRunning(claimed.until, now());
    case 'answered': {
      const { status, sealedBody } = claimed;
      if (sealedBody === null) throw new ServiceError('conflict', { text: message('answer_not_kept') });
      return { status, body: secretCipher.decrypt(sealedBody), isReplay: true };
    }
    case 'claimed': {
      const renew = () => renewRun(patient, run, now()).catch(() => {});
      const renewal = setInterval(renew, (RUN_LEASE_SECONDS * 1000) / 3);
      try {
        const { status, body } = await work();
        const sealedBody = body.length > MAX_BODY ? null : secretCipher.encrypt(body);
        // It has been carried out: without a record, a repeated request runs again once the lease is over.
        await settled(() => keepAnswer(patient, run, { status, sealedBody }));
        return { status, body, isReplay: false };
      } catch (error) {
        await settled(() => releaseKey(patient, run));
        throw error;
      } finally {
        clearInterval(renewal);
      }
    }
    default:
      return claimed satisfies never;
  }
}

/** Runs what follows an answer. It goes on if the answer is sent before. */
async function settled(work: () => Promise<void>): Promise<void> {
  await within(
    SETTLE_MS,
    work().catch(() => {}),
    () => {},
  );
}

function stillRunning(until: Date, now: Date): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
  return new ServiceError('conflict', { text: message('still_running'), retryAfterSeconds });
}
