import { explainDelivery as contract } from '@pts/contract/operations/webhooks/deliveries';
import { toUtcSeconds } from '@pts/core/time';
import { type AttemptRecord, findAttempt } from '@pts/db/deliveries/log';
import { noSuchRecord } from '@pts/service/deliveries';
import { operation } from '../../http/operation.ts';
import { instant } from '../webhooks/view.ts';
import { pastRequest } from './past-request.ts';
import { viewAttempt } from './view.ts';

/** GET /webhooks/deliveries/{id} */
export const explainDelivery = operation(contract, {
  async run(deps, { account }, { id }) {
    const record = await findAttempt(deps.db, account.id, id);
    if (!record) throw noSuchRecord();
    const { attempt, delivery, others } = record;
    return {
      ...viewAttempt(attempt),
      delivery: delivery && {
        state: delivery.state,
        attempts: delivery.attempts,
        round: delivery.round,
        next_attempt_at: instant(delivery.nextAttemptAt),
      },
      request: pastRequest(record, deps.secretCipher),
      response: {
        status_code: attempt.statusCode,
        head: record.trace?.head ?? null,
        excerpt: attempt.responseExcerpt,
      },
      timing: timingOf(record),
      other_attempts: others.map((other) => ({
        id: other.id,
        ts: toUtcSeconds(other.startedAt),
        status_code: other.statusCode,
        attempt: other.attempt,
        round: other.round,
      })),
    };
  },
});

function timingOf({ attempt, trace }: AttemptRecord) {
  return {
    dns_ms: trace?.dnsMs ?? null,
    connect_ms: trace?.connectMs ?? null,
    tls_ms: trace?.tlsMs ?? null,
    first_byte_ms: trace?.firstByteMs ?? null,
    total_ms: attempt.durationMs,
    address: trace?.address ?? null,
    reused: trace?.reused ?? null,
  };
}
