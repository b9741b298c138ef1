import { ACCOUNT_REASONS } from '@pts/core/attention';
import { id } from '../common.ts';
import { shipment } from './shipments.ts';

const { reason, message } = shipment.properties.attention.properties;

/** GET /attention. */
export const attentionResponse = {
  title: 'AttentionSummary',
  type: 'object',
  required: ['account', 'reasons', 'newest'],
  properties: {
    account: {
      type: 'array',
      description: 'What about the account itself needs attention; empty if nothing does.',
      items: {
        title: 'AccountAttention',
        type: 'object',
        required: ['reason', 'message'],
        properties: {
          reason: {
            title: 'AccountReason',
            type: 'string',
            enum: ACCOUNT_REASONS,
            description:
              '`quota_exhausted`: no new number can be registered this month. `endpoint_disabled`: the service has disabled a webhook. More may be added.',
          },
          message,
          webhook_id: { ...id, description: 'The disabled webhook.' },
        },
      },
    },
    reasons: {
      type: 'array',
      description: 'The reasons that apply to at least one shipment.',
      items: {
        title: 'AttentionCount',
        type: 'object',
        required: ['reason', 'message', 'count'],
        properties: {
          reason,
          message: { type: 'string', description: 'What the shipments with this reason have in common, in words.' },
          count: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            description: 'The number of shipments; 1000 means that many or more.',
          },
        },
      },
    },
    newest: {
      type: 'array',
      maxItems: 10,
      items: shipment,
      description:
        'The ten shipments that need attention and had news last. The others: `GET /shipments?needs_attention=true`.',
    },
  },
} as const;
