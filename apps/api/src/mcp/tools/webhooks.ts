import { recordId } from '@pts/contract/common';
import { deliveriesQuery, explainDelivery, listDeliveries, redeliver } from '@pts/contract/deliveries';
import { listWebhooks } from '@pts/contract/webhooks';
import { READS, tool, WRITES } from '../tool.ts';

const deliveryId = { ...recordId, description: 'The id of the attempt, from list_deliveries.' } as const;
const { webhook_id, event, message_id, tracking_id, before } = deliveriesQuery.properties;

export const health = tool({
  name: 'webhook_health',
  title: 'Health of the webhooks',
  description:
    'The webhooks of the account: whether each is healthy, failing or disabled, since when and why, and how many deliveries are pending. Use it when pushes do not arrive; then list_deliveries with failed. Free.',
  hints: READS,
  contract: listWebhooks,
  inputSchema: { type: 'object', properties: {} },
  toInput: (given) => given,
});

export const deliveries = tool({
  name: 'list_deliveries',
  title: 'List attempts to deliver',
  description:
    'The last 50 attempts to push events to webhooks, newest first, each with the status of the receiver and the error. Use it to see whether and when the events of a parcel were pushed, and why pushes fail; get_delivery has all of one attempt. Free.',
  hints: READS,
  contract: listDeliveries,
  inputSchema: {
    type: 'object',
    properties: {
      webhook_id,
      event,
      message_id,
      tracking_id,
      before,
      failed: { type: 'boolean', description: 'Only failed attempts.' },
    },
  },
  toInput: ({ failed, ...filter }) => ({ ...filter, ...(failed ? { failed: 'true' as const } : {}) }),
});

export const delivery = tool({
  name: 'get_delivery',
  title: 'Read an attempt in full',
  description:
    'One attempt in full: what was sent with which headers, what the receiver answered, and how long each step took. Use it to find out why a receiver refuses pushes. Free.',
  hints: READS,
  contract: explainDelivery,
  inputSchema: { type: 'object', required: ['id'], properties: { id: deliveryId } },
  toInput: (given) => given,
});

export const sendAgain = tool({
  name: 'redeliver',
  title: 'Send a message again',
  description:
    'Sends the message of an attempt to its webhook again, with the same X-Webhook-Id: the receiver must expect it twice. Use it after the receiver was fixed; ask the user first. Free.',
  hints: { ...WRITES, idempotentHint: false, openWorldHint: true },
  contract: redeliver,
  inputSchema: { type: 'object', required: ['id'], properties: { id: deliveryId } },
  toInput: (given) => given,
});
