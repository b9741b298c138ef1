import { balance, countDuplicates } from '../chaos/ledger/balance.ts';
import type { Delivery, Facts, Push, Registration } from '../chaos/ledger/facts.ts';

const ACCOUNT = 'a'.repeat(24);
const PARCEL = 'parcel-1';
const NUMBER = 'SBXEXPRESS100001';
const SCAN = '2026-11-20T10:00:00Z collected';
const EVENTS = [
  ['message-1', 'tracking_update', 'in_transit'],
  ['message-2', 'tracking_update', 'delivered'],
  ['message-3', 'tracking_delivered', 'delivered'],
] as const;

const registration: Registration = { account: ACCOUNT, number: NUMBER, outcome: 'accepted', ids: [PARCEL] };
const pushes = EVENTS.map(([messageId, event, subStatus], n): Push => {
  return {
    endpoint: '/1/1',
    messageId,
    event,
    attempt: 1,
    fault: null,
    trackingId: PARCEL,
    seq: n + 1,
    subStatus,
    answered: 200,
  };
});
const deliveries = EVENTS.map(([messageId], n): Delivery => {
  const log = [{ round: 0, attempt: 1, statusCode: 200 }];
  return { id: String(n + 1), messageId, webhookId: 'webhook-1', state: 'delivered', attempts: 1, log };
});
const facts: Facts = {
  registrations: [registration],
  endpoints: [{ webhookId: 'webhook-1', account: ACCOUNT, path: '/1/1' }],
  charged: new Map([[ACCOUNT, 1]]),
  stored: [{ id: PARCEL, account: ACCOUNT, number: NUMBER, seq: 3 }],
  shown: new Map([[PARCEL, { subStatus: 'delivered', scans: [SCAN] }]]),
  carrier: new Map([[NUMBER, { subStatus: 'delivered', scans: [SCAN] }]]),
  messages: EVENTS.map(([id], n) => ({ id, trackingId: PARCEL, seq: n + 1 })),
  seqFloors: new Set([0]),
  deliveries,
  pushes,
  feeds: [{ account: ACCOUNT, path: '/events', seen: new Set(EVENTS.map(([id]) => id)), refusals: [] }],
  lost: { parcels: new Map(), messages: new Set(), unlogged: new Set() },
};

const changed = <T>(items: readonly T[], at: number, change: Partial<T>): T[] =>
  items.map((item, n) => (n === at ? { ...item, ...change } : item));
const promisesOf = (more: Partial<Facts>) => balance({ ...facts, ...more }).map(({ promise }) => promise);
const logOf = (...statusCodes: number[]) => ({
  attempts: statusCodes.length,
  log: statusCodes.map((statusCode, n) => ({ round: 0, attempt: n + 1, statusCode })),
});
const twin = { id: 'parcel-2', account: ACCOUNT, number: NUMBER, seq: 0 };

test('a run in which nothing was lost balances', () => {
  expect(balance(facts)).toEqual([]);
});

test('a retried attempt, answered with a 500 and then accepted, balances', () => {
  const [first] = pushes;
  const refused = { ...first, answered: 500 } as Push;
  expect(
    promisesOf({
      pushes: [refused, ...changed(pushes, 0, { attempt: 2 })],
      deliveries: changed(deliveries, 0, logOf(500, 200)),
    }),
  ).toEqual([]);
});

test('an event that arrives twice is a duplicate, and balances', () => {
  const twice = [...pushes, ...pushes.slice(0, 1)];
  expect(promisesOf({ pushes: twice })).toEqual([]);
  expect(countDuplicates(twice)).toBe(1);
});

describe('what an asynchronous failover lost', () => {
  const lost = { ...facts.lost, parcels: new Map([[PARCEL, { account: ACCOUNT, number: NUMBER }]]) };
  const gone = { stored: [], charged: new Map(), messages: [], deliveries: [], pushes: [] };

  test('may be missing, or stored again under another id, once', () => {
    expect(promisesOf({ ...gone, lost })).toEqual([]);
    const again = { ...twin, seq: 0 };
    const shown = new Map([['parcel-2', { subStatus: 'delivered', scans: [SCAN] }]]);
    const found = promisesOf({ ...gone, lost, stored: [again, { ...again, id: 'parcel-3' }], shown });
    expect(found).toContain('a number without an answer is stored at most once');
    expect(promisesOf(gone)).toContain('an accepted number is stored once');
  });

  test('may have been pushed before, under an id of its own, and its attempts may be missing in the log', () => {
    const messages = { ...facts.lost, messages: new Set(['message-9']) };
    const wrong = { ...pushes[1], messageId: 'message-9', subStatus: 'exception' } as Push;
    // The same number with another state: the receiver keeps the first one that it gets, and may have the wrong one for
    // good.
    const twice = promisesOf({ pushes: [...pushes.slice(0, 1), wrong, ...pushes.slice(1)], lost: messages });
    expect(twice).toEqual(['a number of a parcel means one state']);
    const later = promisesOf({ pushes: [...pushes, { ...wrong, seq: 4 }], lost: messages });
    expect(later).toEqual(['a receiver that keeps the higher number has the end']);
    // In a new epoch, numbers go on above all that was lost.
    const above = <T extends { seq: number }>(rows: readonly T[]) =>
      rows.map((row) => (row.seq === 1 ? row : { ...row, seq: row.seq + 999 }));
    const epoch = { seqFloors: new Set([0, 1000]), stored: above(facts.stored), messages: above(facts.messages) };
    const pushed = [...above(pushes), { ...wrong, seq: 4 }];
    expect(promisesOf({ ...epoch, pushes: pushed, lost: messages })).toEqual([]);
    expect(promisesOf({ ...epoch, seqFloors: new Set([0]), pushes: pushed, lost: messages })).toEqual([
      'events are numbered 1 to n',
    ]);
    const unlogged = { ...facts.lost, unlogged: new Set(['message-1']) };
    expect(promisesOf({ pushes: [...pushes, { ...pushes[0], attempt: 2 } as Push], lost: unlogged })).toEqual([]);
  });
});

test('a number without an answer may be stored or not', () => {
  expect(promisesOf({ registrations: [{ ...registration, outcome: 'unknown', ids: [] }] })).toEqual([]);
  const unsure: Registration = { account: ACCOUNT, number: 'SBXEXPRESS100002', outcome: 'unknown', ids: [] };
  expect(promisesOf({ registrations: [registration, unsure] })).toEqual([]);
});

// biome-ignore format: one fault per line is readable as a table
test.each<[fault: string, facts: Partial<Facts>, promise: string]>([
  ['a valid number that was refused', { registrations: [{ ...registration, outcome: 'refused', refusal: '4190' }] }, 'a valid number is accepted'],
  ['a missing parcel', { stored: [], charged: new Map() }, 'an accepted number is stored once'],
  ['a parcel that is stored twice', { stored: [...facts.stored, twin] }, 'an accepted number is stored once'],
  ['a parcel that is stored twice without an answer', { registrations: [{ ...registration, outcome: 'unknown' }], stored: [...facts.stored, twin] }, 'a number without an answer is stored at most once'],
  ['an id that differs from the response', { registrations: [{ ...registration, ids: [PARCEL, 'parcel-9'] }] }, 'the id that was answered is stored'],
  ['a parcel that was not sent', { registrations: [] }, 'only what was sent is stored'],
  ['a unit too many', { charged: new Map([[ACCOUNT, 2]]) }, 'each parcel is charged once'],
  ['a unit too few', { charged: new Map() }, 'each parcel is charged once'],
  ['a unit of an account without parcels', { charged: new Map([[ACCOUNT, 1], ['other', 1]]) }, 'each parcel is charged once'],
  ['a parcel in an older state', { shown: new Map([[PARCEL, { subStatus: 'in_transit', scans: [SCAN] }]]) }, "the final state is the carrier's"],
  ['a scan that is missing', { shown: new Map([[PARCEL, { subStatus: 'delivered', scans: [] }]]) }, 'no scan is missing'],
  ['an invented scan', { shown: new Map([[PARCEL, { subStatus: 'delivered', scans: [SCAN, 'x'] }]]) }, 'no scan is invented'],
  ['a parcel that the API does not show', { shown: new Map() }, 'the API shows the parcel'],
  ['a gap in the events', { messages: facts.messages.filter(({ seq }) => seq !== 2) }, 'events are numbered 1 to n'],
  ['an event under two ids', { messages: [...facts.messages, { id: 'message-4', trackingId: PARCEL, seq: 3 }] }, 'events are numbered 1 to n'],
  ['a wrong signature', { pushes: changed(pushes, 0, { fault: 'the signature is wrong' }) }, 'every push is signed'],
  ['an event that never arrived', { pushes: pushes.slice(1) }, 'every event arrives'],
  ['an event that was never accepted', { pushes: changed(pushes, 0, { answered: 500 }) }, 'every event arrives'],
  ['an event from nowhere', { pushes: [...pushes, { ...pushes[0], messageId: 'message-9' } as Push] }, 'no event is invented'],
  ['a last event with another end', { pushes: changed(pushes, 2, { subStatus: 'in_transit' }) }, 'a receiver that keeps the higher number has the end'],
  ['a push that leaves again and again', { pushes: [...pushes, ...Array.from({ length: 5 }, () => pushes[0] as Push)] }, 'a push is not repeated without end'],
  ['a delivery that is reported twice', { pushes: changed(pushes, 1, { event: 'tracking_delivered' }) }, 'a delivery is reported once'],
  ['a delivery that is not reported', { pushes: changed(pushes, 2, { event: 'tracking_update' }) }, 'a delivery is reported once'],
  ['a pending delivery', { deliveries: changed(deliveries, 0, { state: 'owed' }) }, 'every delivery succeeds'],
  ['an attempt number that is skipped', { deliveries: changed(deliveries, 0, { attempts: 2, log: [{ round: 0, attempt: 1, statusCode: 0 }, { round: 0, attempt: 3, statusCode: 200 }] }) }, 'attempts are numbered 1 to n'],
  ['an attempt number that is repeated', { deliveries: changed(deliveries, 0, { attempts: 2, log: [{ round: 0, attempt: 1, statusCode: 0 }, { round: 0, attempt: 1, statusCode: 200 }] }) }, 'attempts are numbered 1 to n'],
  ['an attempt that is not counted', { deliveries: changed(deliveries, 0, { attempts: 2 }) }, 'attempts are numbered 1 to n'],
  ['an attempt after the success', { deliveries: changed(deliveries, 0, logOf(200, 0)) }, 'the last attempt succeeds, and no other'],
  ['an answer that no receiver gave', { deliveries: changed(deliveries, 0, logOf(500, 200)) }, 'the log says what receivers answered'],
  ['an event that a reader of the feed never gets', { feeds: [...facts.feeds, { account: ACCOUNT, path: '/events/stream', seen: new Set(['message-1', 'message-3']), refusals: [] }] }, 'every event is in the feed'],
  ['a reader of the feed that cannot go on', { feeds: facts.feeds.map((feed) => ({ ...feed, refusals: ['4130'] })) }, 'the feed goes on from its cursors'],
  ['an attempt that is not in the log', { pushes: [...pushes, { ...pushes[0], attempt: 2 } as Push] }, 'every attempt is in the log'],
])('%s is found', (_fault, more, promise) => {
  expect(promisesOf(more)).toContain(promise);
});

test('a discrepancy names what it concerns', () => {
  const found = balance({ ...facts, pushes: pushes.slice(1) });
  expect(found.find(({ promise }) => promise === 'every event arrives')?.about).toBe(
    `message-1 to /1/1: event 1 of ${NUMBER}`,
  );
});
