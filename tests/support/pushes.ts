import { createHmac } from 'node:crypto';
import type { ReceivedRequest } from '@pts/testing/http-server';

export type Push = {
  messageId: string;
  event: string;
  attempt: number;
  data: {
    id: string;
    tracking_number: string;
    status: string;
    seq: number;
    events: { time: string; status: string }[];
  };
};

/** Reads a push, and checks its signature with HMAC only (spec section 6.3). @throws if it is invalid. */
export function readPush({ headers, rawBody }: ReceivedRequest, secret: string): Push {
  const timestamp = String(headers['x-webhook-timestamp']);
  const expected = createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest('hex');
  if (headers['x-webhook-signature'] !== `t=${timestamp},v1=${expected}`) throw new Error('the signature is wrong');
  const body = JSON.parse(rawBody) as { event: string; data: Push['data'] };
  if (headers['x-webhook-event'] !== body.event) throw new Error('the header names another event than the body');
  return {
    messageId: String(headers['x-webhook-id']),
    event: body.event,
    attempt: Number(headers['x-webhook-attempt']),
    data: body.data,
  };
}

/** One push of each message: receivers deduplicate on X-Webhook-Id. */
export function distinct(pushes: readonly Push[]): Push[] {
  return [...new Map(pushes.map((push) => [push.messageId, push])).values()];
}
