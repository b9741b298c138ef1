import { response } from '../testing/answers.ts';
import type { Meaning } from '../texts/meaning.ts';
import { refinedByText } from '../texts/refine.ts';
import { PROVIDERS } from './index.ts';

const NUMBER = 'A1';
const provider = (name: string) => {
  const found = PROVIDERS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no provider ${name}`);
  return found;
};
/** A scan of each format, with its code and text; an empty time is one that the provider does not have. */
const FORMATS: Readonly<
  Record<string, (scans: readonly (readonly [code: string, text: string, time: string])[]) => object>
> = {
  '17track': (scans) => ({
    code: 0,
    data: {
      accepted: [
        {
          number: NUMBER,
          carrier: 100003,
          track_info: {
            tracking: {
              providers: [
                {
                  events: scans.map(([code, description, time]) => ({ sub_status: code, description, time_utc: time })),
                },
              ],
            },
          },
        },
      ],
      rejected: [],
    },
  }),
  trackingmore: (scans) => ({
    meta: { code: 200 },
    data: [
      {
        tracking_number: NUMBER,
        courier_code: 'ups',
        origin_info: {
          trackinfo: scans.map(([code, text, time]) => ({
            checkpoint_date: time,
            checkpoint_delivery_status: code,
            checkpoint_delivery_substatus: code === 'notfound' ? 'notfound001' : '',
            tracking_detail: text,
          })),
        },
      },
    ],
  }),
  aftership: (scans) => ({
    meta: { code: 200 },
    data: {
      trackings: [
        {
          tracking_number: NUMBER,
          slug: 'ups',
          checkpoints: scans.map(([tag, message, time]) => ({ tag, message, checkpoint_time: time })),
        },
      ],
    },
  }),
  ship24: (scans) => ({
    data: {
      trackings: [
        {
          tracker: { trackingNumber: NUMBER },
          shipment: {},
          events: scans.map(([code, status, time]) => ({ statusMilestone: code, status, occurrenceDatetime: time })),
        },
      ],
    },
  }),
  easypost: (scans) => ({
    trackers: [
      {
        tracking_code: NUMBER,
        carrier: 'UPS',
        status: 'unknown',
        tracking_details: scans.map(([status, message, time]) => ({
          status,
          message,
          datetime: time,
          tracking_location: {},
        })),
      },
    ],
  }),
};

type Listed = readonly (readonly [code: string, text: string, time: string])[];

function answerTo(name: string, scans: Listed) {
  const body = JSON.stringify(FORMATS[name]?.(scans));
  return provider(name).parse(response(body), [{ number: NUMBER, carrier: 'ups' }])[0];
}

function scansOf(name: string, scans: Listed) {
  const answer = answerTo(name, scans);
  return answer?.kind === 'found' ? answer.scans.map(({ status }) => status) : answer;
}

// biome-ignore format: one scan per line is readable as a table
test.each([
  ['17track', 'InTransit_CustomsRequiringInformation', 'Documents needed', 'exception'],
  ['17track', 'InTransit_Other', 'Parcel lost', 'exception'],
  ['17track', 'InTransit_Other', 'Colis perdu', 'exception'],
  ['17track', 'InTransit_Other', 'Die Sendung wurde erfolgreich zugestellt.', 'delivered'],
  ['17track', 'InTransit_Other', 'Arrived at hub', 'in_transit'],
  ['17track', '', 'Votre colis est en cours de livraison.', 'out_for_delivery'],
  ['17track', '', '配達完了', 'delivered'],
  ['17track', 'InfoReceived', 'Something unheard of', 'info_received'],
  ['17track', 'Delivered_Other', '快件已存入丰巢快递柜，请凭取件码取件', 'available_for_pickup'],
  ['17track', 'AvailableForPickup_Other', '快递员已从丰巢快递柜取回', 'in_transit'],
  ['trackingmore', 'notfound', 'Shipper created a label', 'info_received'],
  ['trackingmore', 'notfound', 'Label created by the shipper', 'info_received'],
  ['trackingmore', 'transit', 'Objeto saiu para entrega ao destinatário', 'out_for_delivery'],
  ['trackingmore', 'transit', 'Objeto saiu para entrega ao remetente', 'exception'],
  ['trackingmore', 'inforeceived', 'Nothing known', 'info_received'],
  ['aftership', 'InfoReceived', 'Something unheard of', 'info_received'],
  ['aftership', 'InTransit', 'IN CONSEGNA', 'out_for_delivery'],
  ['aftership', 'InTransit', 'Entregado', 'delivered'],
  ['ship24', 'info_received', 'Something unheard of', 'info_received'],
  ['ship24', 'in_transit', 'beim Nachbarn abgegeben', 'delivered'],
  ['ship24', 'in_transit', 'am vereinbarten Ablageort hinterlegt', 'delivered'],
  ['ship24', 'delivered', 'RTO - Return Accepted', 'returned'],
  ['ship24', 'delivered', 'Returned to origin - delivered', 'returned'],
  ['easypost', 'in_transit', 'Przesyłka wydana do doręczenia', 'out_for_delivery'],
  // Announced, whatever the text says that nobody knows.
  ['17track', 'InfoReceived', 'Ref. 4711', 'info_received'],
  ['17track', 'InfoReceived', '？？', 'info_received'],
  ['aftership', 'InfoReceived', 'Ref. 4711', 'info_received'],
  ['aftership', 'Pending', 'Something unheard of', 'info_received'],
  ['ship24', 'info_received', 'Ref. 4711', 'info_received'],
  ['ship24', 'pending', 'Something unheard of', 'info_received'],
  ['trackingmore', 'notfound', '已创建运单', 'info_received'],
  ['trackingmore', 'pending', 'Die Sendung wurde elektronisch angekündigt.', 'info_received'],
  ['17track', 'NotFound_Other', 'Something unheard of', 'info_received'],
  ['trackingmore', 'pending', 'Something unheard of', 'info_received'],
  ['aftership', 'Pending', 'Departed facility', 'in_transit'],
  ['ship24', 'pending', 'Delivered', 'delivered'],
  // Coarse codes are as fine as their texts.
  ['17track', 'InTransit_Other', 'Pacco smarrito', 'exception'],
  ['17track', 'InTransit_Other', 'Le colis a été refusé par le destinataire', 'exception'],
  ['17track', 'InTransit_CustomsRequiringInformation', 'Invoice missing', 'exception'],
  ['17track', 'InTransit_CustomsRequiringInformation', '', 'exception'],
  ['17track', 'Delivered_Other', '包裹已存放至菜鸟驿站，请及时领取', 'available_for_pickup'],
  ['17track', 'Delivered_Other', '快递员已将快件从丰巢柜取回', 'in_transit'],
  ['17track', 'Delivered_Other', 'RTO Delivered', 'returned'],
  ['aftership', 'Delivered', 'RTO - Return Accepted', 'returned'],
  ['trackingmore', 'delivered', 'Returned to origin - delivered', 'returned'],
  ['trackingmore', 'transit', 'Paczka gotowa do odbioru w punkcie', 'available_for_pickup'],
  ['aftership', 'InTransit', 'Отказ адресата от получения', 'exception'],
  ['ship24', 'in_transit', '配達完了', 'delivered'],
  ['easypost', 'in_transit', 'Kargonuz teslim edildi', 'delivered'],
  ['easypost', 'in_transit', 'Shipment lost', 'exception'],
])('%s: the code %j with %j is %s', (name, code, text, status) => {
  expect(scansOf(name, [[code, text, '2031-05-02T09:30:00Z']])).toEqual([status]);
});

test.each(Object.keys(FORMATS))('%s: a checkpoint without a time is left out, and counted', (name) => {
  const timed = ['', 'Parcel delivered', '2031-05-02T09:30:00Z'] as const;
  const untimed = ['', 'Arrived at hub', ''] as const;
  const departed = ['', 'Departed', '2031-05-01T09:30:00Z'] as const;
  expect(scansOf(name, [timed, untimed, departed])).toEqual(['delivered', 'in_transit']);
  expect(answerTo(name, [timed, untimed, departed])).toMatchObject({ untimed: 1 });
  expect(answerTo(name, [untimed, timed, untimed])).toMatchObject({ untimed: 2, scans: [{ status: 'delivered' }] });
  expect(answerTo(name, [timed, departed])).not.toHaveProperty('untimed');
});

// biome-ignore format: one text per line is readable as a table
test.each<[Meaning['status'], string, Meaning['status']]>([
  ['delivered', '快件已存入丰巢快递柜，请凭取件码取件', 'available_for_pickup'],
  ['delivered', '包裹已存放至云溪驿站，请及时取件', 'available_for_pickup'],
  ['delivered', '已投递，待取件', 'available_for_pickup'],
  ['delivered', '凭取件码取件，签收人：本人', 'delivered'],
  ['available_for_pickup', '快递员已从梧桐街快递柜取回', 'in_transit'],
  ['available_for_pickup', '快件超时未取，已被快递员从柜中取回', 'in_transit'],
  ['delivered', '快件已从丰巢快递柜取回', 'in_transit'],
  ['delivered', '客户已从丰巢快递柜取回', 'delivered'],
])('with a code for %s, %j is %s', (status, text, expected) => {
  expect(refinedByText({ status }, text).status).toBe(expected);
});

// biome-ignore format: one status per line is readable as a table
test.each([
  ['I', 'CA', '005', 'Address corrected', 'in_transit'],
  ['I', 'CN', '005', 'On the way', 'in_transit'],
  ['I', 'DE', '005', 'On the way', 'in_transit'],
  ['I', 'DE', '', 'Delayed', 'in_transit'],
  ['X', 'X1', '017', 'Held', 'available_for_pickup'],
  ['X', 'X1', '040', 'Left at a shop', 'available_for_pickup'],
  ['X', 'X1', '017', 'The receiver was absent', 'available_for_pickup'],
  ['X', 'CA', '040', 'Your package is at the UPS Access Point', 'available_for_pickup'],
  ['X', 'X1', '', 'Trouble', 'exception'],
])('UPS: type %s, code %s and status code %j with %j is %s', (type, code, statusCode, description, expected) => {
  const activity = [{ status: { type, code, statusCode, description }, date: '20310502', time: '093000', gmtDate: '20310502', gmtTime: '09:30:00' }];
  const shipment = [{ inquiryNumber: NUMBER, package: [{ trackingNumber: NUMBER, activity }] }];
  const [answer] = provider('ups').parse(response(JSON.stringify({ trackResponse: { shipment } })), [{ number: NUMBER, carrier: 'ups' }]);
  expect(answer).toMatchObject({ kind: 'found', scans: [{ status: expected }] });
});

test.each([
  ['royal-mail', 400, { httpCode: '400', errors: [{ errorCode: 'E0004', errorDescription: 'Headers' }] }],
  [
    'easypost',
    422,
    { error: { code: 'MODE.UNAUTHORIZED', message: 'This resource requires a production API Key to access.' } },
  ],
])('a refusal by %s that is the same for every number is the provider’s', (name, status, body) => {
  const [answer] = provider(name).parse(response(JSON.stringify(body), status), [
    { number: NUMBER, carrier: 'royal-mail' },
  ]);
  expect(answer).toMatchObject({ kind: 'failed', failure: 'auth' });
});
