import type { PageAddressOf } from '@pts/core/page/address';
import { TEST_PROVIDER } from '@pts/core/provider/for-tests';
import type { Emitted } from '../deliveries/messages.ts';
import type { Outcome } from './answer-snapshot.ts';

/**
 * The events that an outcome emits, each with the parcel as it stands then and, if its account has pages, the address of its page.
 * @param more.requestId the request that registered the parcel.
 */
export function emitted(
  { tracking, change, traceparent = null }: Outcome,
  { requestId, pageOf }: { requestId: string | null; pageOf: PageAddressOf | undefined },
): Emitted[] {
  const { pageGeneration } = tracking;
  const pageUrl = pageGeneration === null ? undefined : pageOf?.(tracking.id, pageGeneration);
  return change.emits.map((event, index) => ({
    event,
    accountId: tracking.accountId,
    origin: { requestId, traceparent },
    tracking: {
      ...tracking,
      status: change.after.status,
      subStatus: change.after.subStatus,
      scans: change.after.scans,
      annotations: change.after.annotations,
      seq: tracking.seq + index + 1,
      ...(pageUrl === undefined ? {} : { pageUrl }),
      ...(tracking.provider === TEST_PROVIDER ? { isTest: true } : {}),
    },
  }));
}
