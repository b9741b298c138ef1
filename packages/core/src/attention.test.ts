import {
  ATTENTION_DAYS,
  ATTENTION_REASONS,
  type AttentionInput,
  accountAttention,
  attentionDays,
  attentionOf,
  reasonText,
} from './attention.ts';
import type { SubStatus } from './tracking/status.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000);
const parcel = (subStatus: SubStatus, more: Partial<AttentionInput> = {}): AttentionInput => ({
  subStatus,
  problem: null,
  isUndecided: false,
  estimate: null,
  updatedAt: daysAgo(0),
  stoppedAt: null,
  ...more,
});
const reasonOf = (input: AttentionInput) => attentionOf(input, NOW, ATTENTION_DAYS)?.reason ?? null;

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
  ['undeliverable', { problem: 'other' }, 'exception'],
  ['exception', { problem: 'failed_attempt' }, 'delivery_failed'],
  ['exception', { problem: 'recipient_unavailable' }, 'delivery_failed'],
  ['exception', { problem: 'lost' }, 'exception'],
  ['in_transit', { problem: 'delayed' }, null],
  ['delivered', { updatedAt: daysAgo(90) }, null],
  ['delivered', { problem: 'customs' }, null],
  ['returned', { problem: 'returning' }, null],
  // It is the 4th in the last zone.
  ['in_transit', { estimate: { to: '2031-04-04' } }, null],
  ['in_transit', { estimate: { to: '2031-04-03' } }, 'late'],
  ['info_received', { estimate: { to: '2031-04-03T23:59:00Z' } }, 'late'],
  ['out_for_delivery', { estimate: { to: '2031-03-25' } }, 'late'],
  ['out_for_delivery', { estimate: { to: '2031-03-24' } }, null],
  ['in_transit', { estimate: { to: '2031-04-03' }, stoppedAt: daysAgo(1) }, null],
  ['in_transit', { estimate: { to: '2031-04-03' }, updatedAt: daysAgo(7) }, 'no_news'],
  ['exception', { estimate: { to: '2031-04-03' }, problem: 'customs' }, 'customs'],
  ['delivered', { estimate: { to: '2031-04-03' } }, null],
  ['expired', { updatedAt: daysAgo(29) }, 'expired'],
  ['expired', { updatedAt: daysAgo(31) }, null],
])('a parcel that is %s, %j: %s', (subStatus, more, reason) => {
  expect(reasonOf(parcel(subStatus, more))).toBe(reason);
});

test.each<[SubStatus, number, number, number | null]>([
  ['in_transit', 3, 2.9, null],
  ['in_transit', 3, 4, 1],
  ['in_transit', 10, 9, null],
  ['pending', 1, 1.5, 0.5],
  ['available_for_pickup', 4, 3.5, null],
  ['available_for_pickup', 4, 6, 2],
])('%s with %d days chosen, %d days after its news: needs attention for %p days', (subStatus, days, age, sinceDays) => {
  const chosen = attentionDays({ days: { [subStatus]: days } });
  const since = attentionOf(parcel(subStatus, { updatedAt: daysAgo(age) }), NOW, chosen)?.since ?? null;
  expect(since).toEqual(sinceDays === null ? null : daysAgo(sinceDays));
});

test('the words say how long there has been no news', () => {
  expect(attentionOf(parcel('in_transit', { updatedAt: daysAgo(9.5) }), NOW, ATTENTION_DAYS)?.message).toEqual(
    'There have been no updates for 9 days.',
  );
});

test('every reason has words for the reference', () => {
  expect(ATTENTION_REASONS.filter((reason) => `${reasonText(reason)}`.match(/undefined|[{}]/))).toEqual([]);
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
        message: 'The quota of 100 units is used up. New numbers are rejected until 2031-05-01.',
      },
    ]);
  });

  test('an endpoint that the service disabled does, one that the account disabled does not', () => {
    const off = { ...endpoint, enabled: false };
    expect(accountAttention(quota, [off, { ...off, id: 'w2', disabledReason: 'it answered 410 Gone' }])).toEqual([
      {
        reason: 'endpoint_disabled',
        message: 'https://shop.example/hook no longer receives pushes: it answered 410 Gone',
        webhookId: 'w2',
      },
    ]);
  });
});
