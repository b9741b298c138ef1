import { openDatabase } from '@pts/db/connection';
import { recordFinds } from '@pts/db/learned-prefixes';
import { openTestDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { createLearnedPrefixes } from './learned.ts';

const NUMBER = '770512345678';
const prefix = '12:770512';
const ACCOUNT = 'acc_learned';

let now = new Date('2031-04-05T06:00:00.000Z');
const { db, url, close } = await openTestDatabase(4);
afterAll(close);

/** A cache that counts its queries. */
function counted(max = 100) {
  const seen = { queries: 0 };
  const watched = new Proxy(db, {
    get: (target, property) => {
      if (property === '$hot') seen.queries += 1;
      return Reflect.get(target, property);
    },
  });
  return { seen, learned: createLearnedPrefixes({ db: watched, now: () => now, refreshMs: 60_000, max }) };
}

test('a prefix is read once, then again in the background when it is old', async () => {
  const { seen, learned } = counted();
  await recordFinds(db, [{ prefix, carrier: 'sto' }], now);
  expect(learned.findsFor(ACCOUNT, NUMBER)).toEqual({ finds: {}, accountFinds: {} });
  await learned.load(ACCOUNT, [NUMBER, NUMBER]);
  await learned.load(ACCOUNT, [NUMBER]);
  expect(learned.findsFor(ACCOUNT, NUMBER)).toEqual({ finds: { sto: 1 }, accountFinds: {} });
  expect(seen.queries).toBe(1);
  await recordFinds(db, [{ prefix, carrier: 'sto' }], now);
  now = new Date(now.getTime() + 60_000);
  await learned.load(ACCOUNT, [NUMBER]);
  await eventually(() => expect(learned.findsFor(ACCOUNT, NUMBER).finds?.sto).toBeCloseTo(2, 3));
  expect(seen.queries).toBe(2);
});

test('what an account found for numbers of a length is its own', async () => {
  const { seen, learned } = counted();
  await recordFinds(db, [{ accountId: ACCOUNT, prefix: '12:', carrier: 'cj-logistics' }], now);
  await learned.load(ACCOUNT, ['770912345678', '780912345678']);
  await learned.load('acc_other', ['770912345678']);
  expect(learned.findsFor(ACCOUNT, '780912345678').accountFinds).toEqual({ 'cj-logistics': 1 });
  expect(learned.findsFor('acc_other', '770912345678').accountFinds).toEqual({});
  expect(seen.queries).toBe(2);
});

test('numbers whose form decides, and invalid numbers, cost no query', async () => {
  const { seen, learned } = counted();
  await learned.load(ACCOUNT, ['YT6140382715904', '!', '']);
  expect(seen.queries).toBe(0);
});

test('numbers of one call are read in one query, and the least recently used are forgotten', async () => {
  const { seen, learned } = counted(3);
  await learned.load(ACCOUNT, ['770512345678', '770612345678']);
  learned.findsFor(ACCOUNT, '770512345678');
  await learned.load(ACCOUNT, ['770712345678']);
  expect(seen.queries).toBe(2);
  await learned.load(ACCOUNT, ['770512345678']);
  expect(seen.queries).toBe(2);
  await learned.load(ACCOUNT, ['770612345678']);
  expect(seen.queries).toBe(3);
});

test('a database that is away leaves detection as it is', async () => {
  const broken = openDatabase({ url, poolSize: 1 });
  await broken.$disconnect();
  const away = new Proxy(broken, {
    get: (_db, name) => {
      if (name === '$statementMs') return 1000;
      throw new Error('the database is away');
    },
  });
  const learned = createLearnedPrefixes({ db: away, now: () => now });
  await learned.load(ACCOUNT, [NUMBER]);
  expect(learned.findsFor(ACCOUNT, NUMBER)).toEqual({ finds: {}, accountFinds: {} });
});
