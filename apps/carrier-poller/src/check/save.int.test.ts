import type { ChangedAnswer } from '@pts/db/checks/answers';
import type { Db } from '@pts/db/connection';
import { freshNumber } from '@pts/testing/factories';
import { found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { createSave } from './save.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
});
afterAll(() => poller.close());

const accounts = new Map<string, string>();
const watch = async (count: number) => {
  const account = await poller.account(['tracking_update']);
  const ids = await Promise.all(Array.from({ length: count }, () => poller.watch(account, freshNumber())));
  for (const id of ids) accounts.set(id, account);
  return ids;
};

/** `createSave`, with the number of transactions it has run. */
function openSave() {
  const { db } = poller;
  let transactions = 0;
  const counted = new Proxy(db, {
    get: (target, property) => {
      if (property === '$hotTransaction') transactions += 1;
      return Reflect.get(target, property, target);
    },
  }) as Db;
  const save = createSave(
    poller.depsFor(
      scriptedProvider(() => found()),
      { db: counted },
    ),
  );
  return { save, transactions: () => transactions };
}

const answerOf = (trackingId: string, more: Partial<ChangedAnswer> = {}): ChangedAnswer => ({
  trackingId,
  accountId: accounts.get(trackingId) ?? '',
  answer: found(scan(0, 'in_transit')),
  fingerprint: 'first',
  finalLook: false,
  ...more,
});

test('calls that finish at the same time share transactions', async () => {
  const { save, transactions } = openSave();
  const ids = await watch(32);
  const saved = await Promise.all(ids.map((id) => save([answerOf(id)])));
  expect(transactions()).toBe(2);
  expect(saved.every(({ news }, index) => news.includes(ids[index] ?? ''))).toBe(true);
  expect(await poller.db.tracking.count({ where: { id: { in: ids }, subStatus: 'in_transit' } })).toBe(32);
});

test.each([
  ['first', [1000, 2000]],
  ['last', [2000, 1000]],
])(
  'of two answers about a tracking, the one that was requested later counts; the older one came %s',
  async (_, times) => {
    const { save } = openSave();
    const [id = ''] = await watch(1);
    await Promise.all(
      times.map((ms) => {
        const answer = found(scan(0, 'in_transit', ms === 2000 ? 'new' : 'old'));
        return save([answerOf(id, { answer, requestedAt: new Date(poller.clock.now().getTime() + ms) })]);
      }),
    );
    expect(await poller.tracking(id)).toMatchObject({ seq: 1, latestEvent: { description: 'new' } });
  },
);

test('an answer that cannot be stored fails alone', async () => {
  const { save } = openSave();
  const [poisoned = '', ...others] = await watch(3);
  const poison = found({ ...scan(0, 'in_transit'), status: 'no such status' as 'in_transit' });
  const saved = await Promise.all([
    save([answerOf(poisoned, { answer: poison })]),
    ...others.map((id) => save([answerOf(id)])),
  ]);
  const unsaved = saved.flatMap((each) => each.unsaved.map(({ trackingId }) => trackingId));
  expect(new Set(unsaved)).toEqual(new Set([poisoned]));
  expect(await poller.db.tracking.count({ where: { id: { in: others }, subStatus: 'in_transit' } })).toBe(2);
});

test('new events wake the streams of their accounts', async () => {
  const published: [string, readonly string[]][] = [];
  const signals = { publish: async (topic: string, ids: readonly string[]) => void published.push([topic, ids]) };
  const save = createSave(
    poller.depsFor(
      scriptedProvider(() => found()),
      { signals },
    ),
  );
  const account = await poller.account();
  const id = await poller.watch(account, freshNumber());
  await save([answerOf(id, { accountId: account })]);
  await save([answerOf(id, { accountId: account, fingerprint: 'the same history' })]);
  expect(published).toEqual([
    ['events', [account]],
    ['events', []],
  ]);
});
