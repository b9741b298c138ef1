import { BODY_BYTES } from '../body-limits.ts';
import type { OperationDoc } from '../openapi/operation-doc.ts';
import { defineOperation, NO_INPUT } from '../operation.ts';
import { couriersHealthResponse, couriersResponse, detectRequest, detectResponse } from '../schemas/couriers.ts';
import { EXAMPLE_NUMBER } from './examples.ts';

const COURIER_EXAMPLE = {
  courier_code: 'yto',
  courier_name: 'YTO Express',
  courier_name_zh: '圆通速递',
  courier_country_iso2: 'CN',
  courier_url: 'https://www.yto.net.cn',
  courier_phone: '95554',
  courier_type: 'express',
  tracking_required_fields: [],
  trackable: true,
  tracked_by: ['kuaidi100'],
};

/** The known carriers; `trackable` says whether this installation can query them. */
export const listCouriers = defineOperation({
  method: 'get',
  path: '/couriers/all',
  limit: 'couriers',
  repeat: 'safe',
  scope: 'read',
  input: null,
  cacheable: true,
  request: NO_INPUT,
  response: couriersResponse,
  doc: {
    id: 'listCouriers',
    tag: 'Carriers',
    summary: 'List the known carriers',
    summaryZh: '列出承运商',
    description:
      'Use the codes in `courier_code`. `trackable` says whether this installation can track parcels of a carrier. The list rarely changes: cache it and revalidate with `If-None-Match`.',
    example: { response: { count: 1, couriers: [COURIER_EXAMPLE] } },
  },
});

/** Whether the carriers of the account's parcels are checked in time. */
export const getCouriersHealth = defineOperation({
  method: 'get',
  path: '/couriers/health',
  limit: 'account',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: couriersHealthResponse,
  doc: {
    id: 'getCouriersHealth',
    tag: 'Carriers',
    summary: 'Whether carriers are checked in time',
    summaryZh: '承运商是否按时查询',
    description:
      'The carriers of your parcels: whether the service checks them in time, is late, or has paused because their source does not answer.',
    example: {
      response: {
        count: 1,
        couriers: [
          {
            courier_code: 'yto',
            state: 'paused',
            late_seconds: 312,
            paused_until: '2026-03-01T16:05:00Z',
            checked_at: '2026-03-01T15:58:12Z',
          },
        ],
      },
    },
  },
});

/** Possible carriers of a number, best first. It registers nothing. */
export const detectCarrier = detectAt('/carrier/detect', {
  id: 'detectCarrier',
  summaryZh: '识别承运商',
  description:
    'Nothing is registered or charged. `carrier` is the one that a registration without `courier_code` would choose. If the number matches no carrier, the list is empty.',
});

/** The same under the API family's own path. */
export const detectCourier = detectAt('/couriers/detect', {
  id: 'detectCourier',
  summaryZh: '识别承运商（兼容）',
  description: 'Same as `POST /carrier/detect`, under the path that the API family uses.',
});

function detectAt(path: string, named: Pick<OperationDoc, 'id' | 'summaryZh' | 'description'>) {
  return defineOperation({
    method: 'post',
    path,
    limit: 'detect',
    repeat: 'safe',
    scope: 'read',
    bodyBytes: BODY_BYTES.number,
    input: 'body',
    request: detectRequest,
    response: detectResponse,
    doc: {
      ...named,
      tag: 'Carriers',
      summary: 'Detect the carrier of a number',
      errors: ['invalid_number', 'number_missing'],
      example: {
        request: { tracking_number: EXAMPLE_NUMBER },
        response: {
          tracking_number: EXAMPLE_NUMBER,
          carrier: 'yto',
          candidates: [{ ...COURIER_EXAMPLE, confidence: 95 }],
        },
      },
    },
  });
}
