import { deliveryById, deliveryResponse } from '@pts/contract/webhook-deliveries';
import { toUtcSeconds } from '@pts/core/time';
import { type AttemptRecord, findAttempt } from '@pts/db/deliveries/record';
import { operation } from '../../http/operation.ts';
import { instant } from '../webhooks/view.ts';
import { DELIVERY_EXAMPLE } from './example.ts';
import { pastRequest } from './past-request.ts';
import { noSuchRecord, viewAttempt } from './view.ts';

/** GET /webhooks/deliveries/{id}: one attempt with all that helps to find out why. */
export const webhookDelivery = operation({
  method: 'get',
  path: '/webhooks/deliveries/:id',
  limit: 'webhooks',
  input: 'params',
  request: deliveryById,
  response: deliveryResponse,
  doc: {
    id: 'explainDelivery',
    tag: 'Webhooks',
    summary: 'Look into one delivery',
    description:
      'The record with what was sent (`request`: headers, raw body, the exact text that was signed, and a `curl` command), what came back (`response`), how long each step took (`timing`), and the other attempts of the same message. The signature is computed anew; after a rotation of the secret it is null, and `notes` say so. The `curl` command is for looking: receivers refuse it once it is more than 300 seconds old.',
    errors: ['not_found'],
    example: { response: DELIVERY_EXAMPLE },
  },
  async run({ db, secretCipher }, { account }, { id }) {
    const record = await findAttempt(db, account.id, BigInt(id));
    if (!record) throw noSuchRecord();
    const { attempt, delivery, others } = record;
    return {
      ...viewAttempt(attempt),
      delivery: delivery && {
        ...{ state: delivery.state, attempts: delivery.attempts, round: delivery.round },
        next_attempt_at: instant(delivery.nextAttemptAt),
      },
      request: pastRequest(record, secretCipher),
      response: {
        ...{ status_code: attempt.statusCode, head: record.trace?.head ?? null },
        excerpt: attempt.responseExcerpt,
      },
      timing: timingOf(record),
      other_attempts: others.map((other) => ({
        ...{ id: String(other.id), ts: toUtcSeconds(other.startedAt), status_code: other.statusCode },
        ...{ attempt: other.attempt, round: other.round },
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
