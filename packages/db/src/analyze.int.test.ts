import { openTestDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { analyzeGrown } from './analyze.ts';
import type { Db } from './connection.ts';

const { db, close } = await openTestDatabase(2);
afterAll(close);

const SCHEMA = 'growing';
const analyze = () => analyzeGrown(db, [SCHEMA]);
/**
 * Also reports the rows at once: a connection does so a second later at times, on top of what an ANALYZE has counted
 * meanwhile.
 */
const add = (rows: number) =>
  db.$transaction([
    db.$executeRaw`INSERT INTO growing.parcels SELECT repeat('x', 500) FROM generate_series(1, ${rows}::int)`,
    db.$queryRaw`SELECT pg_stat_force_next_flush()::text`,
  ]);

beforeEach(async () => {
  await db.$executeRaw`DROP SCHEMA IF EXISTS growing CASCADE`;
  await db.$executeRaw`CREATE SCHEMA growing`;
  await db.$executeRaw`CREATE TABLE growing.parcels (description text) WITH (autovacuum_enabled = off)`;
});

test('a table is analyzed whenever it has grown to more than four times its size', async () => {
  expect(await analyze()).toEqual([]);
  const analyzedAfter: number[] = [];
  for (let pages = 1; pages <= 150; pages++) {
    // Fifteen such rows fill a page.
    await add(15);
    if ((await analyze()).length > 0) analyzedAfter.push(pages);
  }
  expect(analyzedAfter).toEqual([5, 21, 85]);
});

test('a table is analyzed again once the rows are committed that another transaction was adding', async () => {
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`INSERT INTO growing.parcels SELECT repeat('x', 500) FROM generate_series(1, 500)`;
    expect(await analyze()).toEqual(['growing.parcels']);
    expect(await analyze()).toEqual([]);
  });
  await eventually(async () => expect(await analyze()).toEqual(['growing.parcels']));
  expect(await analyze()).toEqual([]);
});

test('nobody else’s tables are analyzed', async () => {
  await add(100);
  await db.$executeRaw`CREATE ROLE somebody_else`;
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`GRANT USAGE ON SCHEMA growing TO somebody_else`;
    await tx.$executeRaw`SET LOCAL ROLE somebody_else`;
    expect(await analyzeGrown(tx as Db, [SCHEMA])).toEqual([]);
  });
  await db.$executeRaw`DROP OWNED BY somebody_else`;
  await db.$executeRaw`DROP ROLE somebody_else`;
  expect(await analyze()).toEqual(['growing.parcels']);
});
