import {
  ATTENTION_REASONS,
  type AttentionInput,
  accountAttention,
  attentionOf,
  problemOf,
  REASON_TEXTS,
} from './attention.ts';
import type { Scan } from './tracking/scan.ts';
import type { SubStatus } from './tracking/status.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000);
const parcel = (subStatus: SubStatus, more: Partial<AttentionInput> = {}): AttentionInput => ({
  subStatus,
  problem: null,
  isUndecided: false,
  updatedAt: daysAgo(0),
  stoppedAt: null,
  ...more,
});
const reasonOf = (input: AttentionInput) => attentionOf(input, NOW)?.reason ?? null;

test.each<[SubStatus, Partial<AttentionInput>, string | null]>([
  ['pending', { updatedAt: daysAgo(2.9) }, null],
  ['pending', { updatedAt: daysAgo(3) }, 'not_found'],
  ['pending', { updatedAt: daysAgo(3), isUndecided: true }, 'carrier_not_found'],
  ['pending', { updatedAt: daysAgo(3), stoppedAt: daysAgo(2) }, null],
  ['pending', { updatedAt: daysAgo(3), stoppedAt: daysAgo(2), isUndecided: true }, null],
  ['info_received', { updatedAt: daysAgo(4.9) }, null],
  ['info_received', { updatedAt: daysAgo(5) }, 'no_news'],
  ['in_transit', { updatedAt: daysAgo(6.9) }, null],
  ['in_transit', { updatedAt: daysAgo(7) }, 'no_news'],
  ['in_transit', { updatedAt: daysAgo(7), stoppedAt: daysAgo(1) }, null],
  ['out_for_delivery', { updatedAt: daysAgo(1.9) }, null],
  ['out_for_delivery', { updatedAt: daysAgo(2) }, 'no_news'],
  ['available_for_pickup', {}, 'pickup'],
  ['available_for_pickup', { stoppedAt: daysAgo(1) }, 'pickup'],
  ['exception', { problem: 'customs' }, 'customs'],
  ['exception', { problem: 'returning' }, 'returning'],
  ['undeliverable', { problem: 'address' }, 'address'],
  ['undeliverable', {}, 'exception'],
  ['delivered', { updatedAt: daysAgo(90) }, null],
  ['delivered', { problem: 'customs' }, null],
  ['returned', { problem: 'returning' }, null],
  ['expired', { updatedAt: daysAgo(29) }, 'expired'],
  ['expired', { updatedAt: daysAgo(31) }, null],
])('a parcel that is %s, %j: %s', (subStatus, more, reason) => {
  expect(reasonOf(parcel(subStatus, more))).toBe(reason);
});

test('the words say how long there has been no news', () => {
  expect(attentionOf(parcel('in_transit', { updatedAt: daysAgo(9.5) }), NOW)?.message).toBe(
    'There has been no news for 9 days.',
  );
});

test('every reason has words for the reference', () => {
  expect(ATTENTION_REASONS.filter((reason) => REASON_TEXTS[reason].includes('undefined'))).toEqual([]);
});

const scan = (description: string, more: Partial<Scan> = {}): Scan => ({
  time: '2031-04-05T05:00:00Z',
  timeRaw: '2031-04-05T05:00:00Z',
  zoneSource: 'carrier',
  location: '',
  description,
  status: 'exception',
  ...more,
});

test.each([
  ['Delivery attempted: nobody was home', 'delivery_failed'],
  ['We could not deliver your parcel, a card was left', 'delivery_failed'],
  ['Addressee absent', 'delivery_failed'],
  ['派送不成功，收件人电话无人接听', 'delivery_failed'],
  ['Der Empfänger wurde nicht angetroffen', 'delivery_failed'],
  ['Incorrect address: the house number is missing', 'address'],
  ['No such address', 'address'],
  ['地址不详，无法派送', 'address'],
  ['Die Adresse ist unvollständig', 'address'],
  ['Held by customs, waiting for documents', 'customs'],
  ['清关异常，等待收件人补充资料', 'customs'],
  ['Die Sendung wird verzollt: Zollgebühren offen', 'customs'],
  ['Parcel damaged', 'exception'],
  ['滞留在网点', 'exception'],
])('the problem of "%s" is %s', (text, problem) => {
  expect(problemOf([scan('Picked up', { status: 'in_transit' }), scan(text)], 'exception')).toBe(problem);
});

test('where the parcel is heading says more than the latest text', () => {
  const refused = scan('Refused by the recipient', { course: 'refused' });
  expect(problemOf([refused], 'exception')).toBe('refused');
  const back = scan('On its way back', { course: 'going_back' });
  expect(problemOf([refused, back, scan('Held by customs')], 'exception')).toBe('returning');
});

test('later news that decides nothing hides no problem', () => {
  expect(problemOf([scan('Held by customs'), scan('Label printed', { status: 'info_received' })], 'exception')).toBe(
    'customs',
  );
});

test('a parcel that cannot be delivered has a failed delivery, if nothing else is known', () => {
  expect(problemOf([scan('Undeliverable', { status: 'undeliverable' })], 'undeliverable')).toBe('delivery_failed');
  expect(problemOf([], 'undeliverable')).toBe('delivery_failed');
});

test('a parcel in order has no problem', () => {
  expect(problemOf([scan('Held by customs'), scan('Delivered', { status: 'delivered' })], 'delivered')).toBeUndefined();
});

describe('of the account itself', () => {
  const quota = { limit: 100, remaining: 1, resetsAt: new Date('2031-05-01T00:00:00Z') };
  const endpoint = { id: 'w1', url: 'https://shop.example/hook', enabled: true, disabledReason: null };

  test('nothing needs attention while units are left and its endpoints work', () => {
    expect(accountAttention(quota, [endpoint])).toEqual([]);
  });

  test('a used-up quota does, until it resets', () => {
    expect(accountAttention({ ...quota, remaining: 0 }, [])).toEqual([
      {
        reason: 'quota_exhausted',
        message: 'The quota of 100 units is used up until 2031-05-01; new numbers are refused.',
      },
    ]);
  });

  test('an endpoint that the service disabled does, one that the account disabled does not', () => {
    const off = { ...endpoint, enabled: false };
    expect(accountAttention(quota, [off, { ...off, id: 'w2', disabledReason: 'it answered 410 Gone' }])).toEqual([
      {
        reason: 'endpoint_disabled',
        message: 'https://shop.example/hook gets no pushes: it answered 410 Gone',
        webhookId: 'w2',
      },
    ]);
  });
});
