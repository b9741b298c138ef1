import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { PATIENT } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { type Standby, startStandby } from '@pts/testing/servers/postgres';
import { type Db, openDatabase } from './connection.ts';
import { MAX_STALE_MS, type ReadDb, readReplica } from './replica.ts';

const [MERCHANT, OTHER] = ['a'.repeat(24), 'b'.repeat(24)];

let server: Postgres;
let standby: Standby;
let replication: Gate;
let primary: Db;
let replica: Db;
let now = 0;
let uses: [boolean, string][];
let reads: ReadDb;

beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pts-primary-'));
  server = await startPostgres({ dir, persistent: false });
  replication = await startGate(server.url, server.port);
  standby = await startStandby({
    primary: { ...server, dir },
    dir: mkdtempSync(join(tmpdir(), 'pts-replica-')),
    persistent: false,
    through: replication.url,
  });
  primary = openDatabase({ url: server.url, poolSize: 1, ...PATIENT });
  replica = openDatabase({ url: standby.url, poolSize: 1, ...PATIENT });
  await primary.$executeRaw`CREATE TABLE facts (n int)`;
}, 120_000);
afterAll(async () => {
  await Promise.all([primary.$disconnect(), replica.$disconnect()]);
  await standby.stop();
  await replication.close();
  await server.stop();
}, 60_000);

beforeEach(async () => {
  uses = [];
  reads = readReplica({ primary, replica, elapsed: () => now, onUse: (...use) => void uses.push(use) });
});

/** Which server a read of an account uses. */
const readBy = (account: string) =>
  reads.read(account, async (db) => {
    const { rows } = await db.$connections.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    return rows[0]?.standby ? 'replica' : 'primary';
  });
/** Looks until the replica has what the primary had at the first look. */
const lookUntilFresh = () =>
  eventually(async () => {
    await reads.look();
    expect(reads.lagMs()).toBe(0);
  });
const write = () => primary.$executeRaw`INSERT INTO facts VALUES (1)`;

test('the primary is read until the replica is known to be fresh, then the replica', async () => {
  expect(await readBy(MERCHANT)).toBe('primary');
  await lookUntilFresh();
  expect([await readBy(MERCHANT), uses]).toEqual(['replica', [[true, expect.any(String)]]]);
});

test('while nothing is written, a replica stays fresh', async () => {
  await lookUntilFresh();
  now += 10 * MAX_STALE_MS;
  expect(await readBy(MERCHANT)).toBe('primary');
  await lookUntilFresh();
  expect(await readBy(MERCHANT)).toBe('replica');
});

test('an account that has just changed something reads the primary for a while, others do not', async () => {
  await lookUntilFresh();
  reads.changed(MERCHANT);
  expect([await readBy(MERCHANT), await readBy(OTHER)]).toEqual(['primary', 'replica']);
  now += MAX_STALE_MS + 1;
  await lookUntilFresh();
  expect(await readBy(MERCHANT)).toBe('replica');
});

test('a replica that lags is left out, and read again once it has caught up', async () => {
  await lookUntilFresh();
  replication.set('mute');
  await write();
  now += 1;
  await reads.look();
  expect([await readBy(MERCHANT), reads.lagMs()]).toEqual(['replica', 1]);
  now += MAX_STALE_MS;
  await reads.look();
  expect(await readBy(MERCHANT)).toBe('primary');
  expect(uses.at(-1)).toEqual([false, 'it is behind the primary']);
  replication.set('open');
  await lookUntilFresh();
  expect(await readBy(MERCHANT)).toBe('replica');
});

test('statements that the replica does not finish run on the primary', async () => {
  await lookUntilFresh();
  const seen: string[] = [];
  const answer = await reads.read(MERCHANT, async (db) => {
    seen.push(db === replica ? 'replica' : 'primary');
    if (db === replica) throw new Error('canceling statement due to conflict with recovery');
    return 'read';
  });
  expect([answer, seen, uses.at(-1)?.[0]]).toEqual(['read', ['replica', 'primary'], false]);
  expect(await readBy(MERCHANT)).toBe('primary');
  await lookUntilFresh();
  expect(await readBy(MERCHANT)).toBe('replica');
});

test('a server that is not a replica is never read', async () => {
  reads = readReplica({ primary, replica: primary, elapsed: () => now });
  await expect(reads.look()).rejects.toThrow('is not a replica');
  expect(await readBy(MERCHANT)).toBe('primary');
});
