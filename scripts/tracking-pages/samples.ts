import { knownProviders } from '@pts/carriers/providers/configured';
import type { ParcelProblem, Scan } from '@pts/core/tracking/scan';
import { overallStatus, type ScanStatus, type SubStatus } from '@pts/core/tracking/status';
import type { PageRecord } from '@pts/db/pages';
import { createPageTokens, tokenKeysFrom } from '@pts/runtime/encryption/tokens';

/** When the samples are looked at: a Tuesday, at noon in Germany. */
export const NOW = new Date('2031-03-04T11:00:00Z');

type Line = [time: string, status: ScanStatus, location: string, description: string, more?: Partial<Scan>];

function scan([time, status, location, description, more]: Line): Scan {
  return { time, timeRaw: time, zoneSource: 'carrier', location, description, status, ...more };
}

const ROAD: Line[] = [
  ['2031-03-01T09:12:00Z', 'info_received', '', 'Shipping label created, waiting for the parcel'],
  ['2031-03-01T16:40:00Z', 'in_transit', 'Leipzig, Germany', 'Collected by Mira Solano at Leipzig'],
  ['2031-03-02T01:05:00Z', 'in_transit', 'Leipzig, Germany', 'Left Leipzig for Hamburg'],
  ['2031-03-02T21:10:00Z', 'in_transit', 'Hamburg, Germany', 'Left the sorting centre'],
  ['2031-03-03T04:50:00Z', 'in_transit', 'Kiel, Germany', 'Arrived at the local depot'],
];
const OUT: Line = [
  '2031-03-04T07:14:00Z',
  'out_for_delivery',
  'Kiel, Germany',
  'Out for delivery with your courier John, 07700 900123',
];
const LATER = '2031-03-04T09:30:00Z';

type Sample = { subStatus: SubStatus; lines: readonly Line[]; more?: Partial<PageRecord> };

const estimate = (from: string, to: string, source: 'carrier' | 'history') => ({
  annotations: { estimate: { from, to, source } },
});
const problem = (kind: ParcelProblem, description: string, status: ScanStatus = 'exception'): Line => [
  LATER,
  status,
  'Kiel, Germany',
  description,
  { problem: kind },
];
const trouble = (subStatus: SubStatus, line: Line): Sample => ({ subStatus, lines: [...ROAD, OUT, line] });

/** A page in every state that has words of its own. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  'not-found': { subStatus: 'pending', lines: [], more: { createdAt: new Date('2031-03-03T20:00:00Z') } },
  'not-found-long': { subStatus: 'pending', lines: [] },
  announced: { subStatus: 'info_received', lines: ROAD.slice(0, 1) },
  'in-transit': { subStatus: 'in_transit', lines: ROAD },
  expected: { subStatus: 'in_transit', lines: ROAD, more: estimate('2031-03-06', '2031-03-06', 'carrier') },
  estimated: { subStatus: 'in_transit', lines: ROAD, more: estimate('2031-03-05', '2031-03-08', 'history') },
  late: { subStatus: 'in_transit', lines: ROAD, more: estimate('2031-03-03', '2031-03-03', 'carrier') },
  'arriving-today': {
    subStatus: 'out_for_delivery',
    lines: [...ROAD, OUT],
    more: estimate('2031-03-04T13:00:00Z', '2031-03-04T15:00:00Z', 'carrier'),
  },
  'out-for-delivery': { subStatus: 'out_for_delivery', lines: [...ROAD, OUT] },
  pieces: {
    subStatus: 'out_for_delivery',
    lines: [...ROAD, OUT],
    more: { annotations: { pieces: { total: 3, delivered: 1 } } },
  },
  pickup: {
    subStatus: 'available_for_pickup',
    lines: [
      ...ROAD,
      OUT,
      [
        LATER,
        'available_for_pickup',
        'Kiel, Germany',
        'Ready for pick-up at the parcel shop, your pick-up code is 4711',
      ],
    ],
    more: {
      annotations: {
        pickupPoint: {
          name: 'Parcel shop Holtenau',
          address: 'Kanalstr. 12, 24159 Kiel',
          openingHours: 'Mo–Fr 08:00–20:00, Sa 09:00–14:00',
          latitude: 54.37,
          longitude: 10.14,
        },
      },
    },
  },
  delivered: {
    subStatus: 'delivered',
    lines: [...ROAD, OUT, [LATER, 'delivered', 'Kiel, Germany', 'Delivered, signed by J SMITH']],
    more: { annotations: { proof: { to: 'neighbor', signedBy: 'J SMITH' } } },
  },
  missed: {
    ...trouble('exception', problem('recipient_unavailable', 'Delivery attempted, nobody home')),
    more: estimate('2031-03-05', '2031-03-05', 'carrier'),
  },
  customs: trouble('exception', problem('customs', 'Held by customs, duties are due')),
  address: trouble('exception', problem('address', 'Held, the address is incomplete')),
  lost: trouble('exception', problem('lost', 'The parcel cannot be found')),
  delayed: {
    subStatus: 'in_transit',
    lines: [...ROAD, problem('weather', 'Delayed by the weather', 'in_transit')],
    more: estimate('2031-03-06', '2031-03-06', 'carrier'),
  },
  refused: trouble('exception', [
    LATER,
    'exception',
    'Kiel, Germany',
    'The recipient refused the parcel',
    { course: 'refused' },
  ]),
  problem: {
    ...trouble('exception', [LATER, 'exception', 'Kiel, Germany', 'Held up']),
    more: estimate('2031-03-03', '2031-03-03', 'carrier'),
  },
  undeliverable: trouble('undeliverable', [LATER, 'undeliverable', 'Kiel, Germany', 'Could not be delivered']),
  returning: trouble('exception', [
    LATER,
    'exception',
    'Kiel, Germany',
    'On its way back to the sender',
    { course: 'going_back' },
  ]),
  returned: trouble('returned', [LATER, 'returned', 'Leipzig, Germany', 'Returned to the sender']),
  expired: {
    subStatus: 'expired',
    lines: ROAD.map((line): Line => [line[0].replace('2031-03', '2031-01'), line[1], line[2], line[3]]),
  },
  'handed-over': {
    subStatus: 'out_for_delivery',
    lines: [
      ['2031-03-01T02:10:00Z', 'in_transit', '杭州市', '【杭州市】已揽收，快递员张三（13812345678）'],
      ['2031-03-03T02:10:00Z', 'in_transit', '上海市', '已转交顺丰，运单号：SF1000000000015'],
      ['2031-03-04T00:30:00Z', 'out_for_delivery', '上海市', '【上海市】快递员王小明，电话：138****5678，正在为您派件'],
    ],
    more: { carrier: 'yto', trackingNumber: 'YT8962646785999', provider: 'kuaidi100', destinationCountry: null },
  },
  order: { subStatus: 'out_for_delivery', lines: [...ROAD, OUT] },
  hidden: { subStatus: 'out_for_delivery', lines: [...ROAD, OUT], more: { hideCarrier: true, hidePlaces: true } },
  'long-history': {
    subStatus: 'in_transit',
    lines: Array.from(
      { length: 500 },
      (_, n): Line => [
        new Date(NOW.getTime() - (500 - n) * 3_600_000).toISOString().replace('.000', ''),
        'in_transit',
        '一个名字很长的城市'.repeat(20),
        `<b>"${'快件正在运输途中'.repeat(60)}"</b>`,
      ],
    ),
  },
};

export const SAMPLE_NAMES: readonly string[] = Object.keys(SAMPLES);

/** The dependencies of a sample's view. */
export const DEPS = {
  providers: knownProviders({ PROVIDERS: 'ups,kuaidi100' }),
  pageTokens: createPageTokens(tokenKeysFrom(Buffer.alloc(32).toString('base64'))),
};

/** The parcels of the order of a sample: most are alone. */
export function sampleOrder(name: string): PageRecord[] {
  const others = name === 'order' ? ['delivered', 'customs'] : [];
  return [name, ...others].map((each, n) => ({ ...sampleRecord(each), id: String(n).repeat(24) }));
}

/** The record of a sample. */
export function sampleRecord(name: string): PageRecord {
  const { subStatus, lines, more = {} } = SAMPLES[name] ?? { subStatus: 'pending', lines: [] };
  return {
    id: '0'.repeat(24),
    generation: 0,
    accountId: 'a',
    orderId: 'A-1001',
    title: 'Blue jacket, size M',
    trackingNumber: '1Z999AA10123456784',
    carrier: 'ups',
    isUndecided: false,
    provider: 'ups',
    status: overallStatus(subStatus),
    subStatus,
    scans: lines.map(scan),
    annotations: null,
    destinationCountry: 'DE',
    createdAt: new Date('2031-03-01T08:00:00Z'),
    updatedAt: new Date('2031-03-04T09:35:00Z'),
    stoppedAt: null,
    shopName: 'Nordlicht Outfitters',
    color: '#0b6b58',
    shopUrl: 'https://shop.example',
    supportUrl: 'mailto:help@shop.example',
    notifyUrl: 'https://shop.example/notify',
    hideCarrier: false,
    hidePlaces: false,
    hideOrder: false,
    allowLookup: false,
    embedOrigins: [],
    goneAfterDays: 90,
    logoWidth: null,
    logoHeight: null,
    ...more,
  };
}
