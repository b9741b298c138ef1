import { defineOperation, NO_INPUT } from '../operation.ts';
import { attentionResponse } from '../schemas/attention.ts';
import { EXAMPLE_ID, EXAMPLE_NUMBER } from './examples.ts';

/** What needs somebody's attention, at a glance. */
export const getAttention = defineOperation({
  method: 'get',
  path: '/attention',
  limit: 'account',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: attentionResponse,
  doc: {
    id: 'getAttention',
    tag: 'Shipments',
    summary: 'See what needs attention',
    summaryZh: '需要关注的包裹',
    description:
      'What needs somebody’s attention: the account itself, the number of shipments for each reason, and the ten that had news last. `GET /shipments` lists all shipments with a reason (`needs_attention`).',
    example: {
      response: {
        account: [
          {
            reason: 'endpoint_disabled',
            message: 'https://shop.example.cn/hook gets no pushes: the receiver answered 410 Gone',
            webhook_id: '69a45f02b1c2d3e4f5061728',
          },
        ],
        reasons: [{ reason: 'customs', message: 'customs holds it', count: 1 }],
        newest: [
          {
            id: EXAMPLE_ID,
            tracking_number: EXAMPLE_NUMBER,
            carrier: 'yto',
            status: '异常',
            sub_status: 'exception',
            latest_event: {
              time: '2025-11-21T00:30:00Z',
              location: '杭州市',
              description: '清关异常，等待收件人补充资料',
              status: 'exception',
            },
            title: 'Blue jacket, size M',
            attention: { reason: 'customs', message: 'The parcel is held by customs.' },
            created_at: '2025-11-18T07:12:40Z',
            updated_at: '2025-11-21T00:34:12Z',
          },
        ],
      },
    },
  },
});
