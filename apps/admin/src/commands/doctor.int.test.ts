import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordingServer, stopServers } from '@pts/carriers/testing/local-server';
import { rotateHistory } from '@pts/db/deliveries/retention';
import { lockWaits, readServer } from '@pts/db/diagnosis';
import { NEEDED_MIGRATION } from '@pts/db/readiness';
import { beginHistory } from '@pts/db/testing/history';
import { migrateQueue } from '@pts/queue/postgres/schema';
import { createSecretCipher } from '@pts/runtime/encryption/keyring';
import {
  emptyDatabase,
  type OpenTestDatabase,
  openTestDatabase,
  queryOnce,
  type TestDatabase,
} from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newAccount, newDeliveries, newTrackings, newWebhook } from '@pts/testing/factories';
import { startPgBouncer } from '@pts/testing/servers/pgbouncer';
import { startRedis, type TestRedis } from '@pts/testing/servers/redis';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Finding } from '../doctor/stores.ts';
import { ALL_QUEUES } from '../installation.ts';
import { admin } from '../testing/run.ts';

const key = () => randomBytes(32).toString('base64');
const KEY = key();
const CIPHER = createSecretCipher(KEY);
const HOUR_MS = 3_600_000;

let database: OpenTestDatabase;
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  database = await openTestDatabase(2);
  await database.db.installation.create({
    data: { keyCheck: CIPHER.encrypt('parcel-tracking-service') },
  });
});
afterEach(() => database.close());

type Examined = { code: number; findings: Finding[] };

async function doctor(env: NodeJS.ProcessEnv = {}, now = () => new Date(), fleet = '1,1,1'): Promise<Examined> {
  const given = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    ENCRYPTION_KEY: KEY,
    DATABASE_POOL_SIZE: '2',
    ...env,
  };
  const { code, stdout } = await admin(['doctor', '--fleet', fleet, '--json'], given, now);
  return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
}

/** What is not as it should be, without the test's own Redis, which keeps nothing. */
const faults = ({ findings }: Examined) =>
  findings.filter(({ check, state }) => state !== 'ok' && check !== 'redis persistence');

/** Exactly one fault was found. */
function expectOnly(examined: Examined, check: string, what: RegExp, fix: RegExp, state: Finding['state'] = 'problem') {
  expect(faults(examined)).toEqual([
    { check, state, what: expect.stringMatching(what), fix: expect.stringMatching(fix) },
  ]);
  expect(examined.code).toBe(state === 'problem' ? 1 : 0);
}

const sql = (text: string) => queryOnce(database.url, text);

/** Lets functions of PostgreSQL return something else in a database. */
async function plant(url: string, functions: string) {
  const name = new URL(url).pathname.slice(1);
  await queryOnce(url, `CREATE SCHEMA planted; ${functions}`);
  await queryOnce(url, `ALTER DATABASE ${name} SET search_path = planted, public, pg_catalog`);
}

const plantSetting = (setting: string, value: string) =>
  plant(
    database.url,
    `CREATE FUNCTION planted.current_setting(name text) RETURNS text
       RETURN CASE name WHEN '${setting}' THEN '${value}' ELSE pg_catalog.current_setting(name) END`,
  );

test('an installation in order has no problem, and every check says what it saw', async () => {
  const examined = await doctor();
  expect([examined.code, faults(examined)]).toEqual([0, []]);
  expect(new Set(examined.findings.map(({ check }) => check)).size).toBeGreaterThanOrEqual(18);
  const { stdout } = await admin(['doctor'], { DATABASE_URL: database.url, ENCRYPTION_KEY: KEY });
  expect(stdout).toMatch(/^ok {6}settings: .*No problems found\.\n$/s);
});

test('an unreachable database is named without its password, and Redis is examined all the same', async () => {
  const url = new URL(database.url);
  url.pathname = '/no_such_database';
  url.password = 's3cret-pass';
  const examined = await doctor({ DATABASE_URL: url.href });
  expectOnly(examined, 'database', /no_such_database cannot be used: /, /DATABASE_URL/);
  expect(JSON.stringify(examined.findings)).not.toContain('s3cret');
  expect(examined.findings).toContainEqual(expect.objectContaining({ check: 'redis', state: 'ok' }));
});

test('a missing migration', async () => {
  await sql(`DELETE FROM _prisma_migrations WHERE migration_name = '${NEEDED_MIGRATION}'`);
  expectOnly(await doctor(), 'migrations', /lacks migration/, /admin -- migrate/);
});

test('no tables at all', async () => {
  const empty = await emptyDatabase();
  try {
    expectOnly(await doctor({ DATABASE_URL: empty.url }), 'migrations', /lacks migration/, /admin -- migrate/);
  } finally {
    await empty.close();
  }
});

test('a migration that was killed', async () => {
  await sql(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('x', '', '9_killed')`);
  expectOnly(await doctor(), 'migrations', /not finished: 9_killed/, /continues from there/);
});

test('an index that a killed build has left', async () => {
  await sql('CREATE INDEX left_over ON accounts (name)');
  await sql(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'left_over'::regclass`);
  expectOnly(await doctor(), 'indexes', /invalid: left_over/, /REINDEX INDEX CONCURRENTLY left_over/);
});

test('a role that lacks a right', async () => {
  const role = `doctor_${randomBytes(4).toString('hex')}`;
  await sql(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT pg_read_all_data, pg_write_all_data TO ${role}`);
  const url = new URL(database.url);
  [url.username, url.password] = [role, 'x'];
  try {
    expect(faults(await doctor({ DATABASE_URL: url.href }))).toEqual([]);
    const withoutSequences = await doctor({ DATABASE_URL: url.href, REDIS_URL: '' });
    expectOnly(
      withoutSequences,
      'queue',
      /cannot add jobs to query-.*, background: their sequences/,
      /admin -- migrate/,
    );
    await migrateQueue(database.url, ALL_QUEUES);
    expect(faults(await doctor({ DATABASE_URL: url.href, REDIS_URL: '' }))).toEqual([]);
    await sql(
      `REVOKE pg_write_all_data FROM ${role}; GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
    await sql(`REVOKE DELETE ON webhooks FROM ${role}`);
    const sequences = /cannot use .*sequence audit_log_id_seq, .*sequence messages_position_seq/;
    expectOnly(await doctor({ DATABASE_URL: url.href }), 'rights', sequences, /USAGE on sequences/);
    await sql(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
    expectOnly(await doctor({ DATABASE_URL: url.href }), 'rights', /cannot use webhooks$/, /grant SELECT/);
    const onQueue = await doctor({ DATABASE_URL: url.href, REDIS_URL: '' });
    expect(faults(onQueue)).toEqual([expect.objectContaining({ what: expect.stringContaining('bullmq.job, ') })]);
    await sql(`GRANT DELETE ON webhooks TO ${role}; REVOKE pg_read_all_data FROM ${role}`);
    await sql(
      `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}; REVOKE SELECT ON _prisma_migrations FROM ${role}`,
    );
    expectOnly(await doctor({ DATABASE_URL: url.href }), 'rights', /cannot use _prisma_migrations$/, /grant SELECT/);
  } finally {
    await sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test('a pooler in transaction mode without the direct address', async () => {
  const bouncer = await startPgBouncer(database.url);
  try {
    const env = { DATABASE_URL: bouncer.url };
    expectOnly(await doctor(env), 'pooler', /MIGRATE_DATABASE_URL is not set/, /the PostgreSQL server itself/);
    const inPod = await doctor({ ...env, KUBERNETES_SERVICE_HOST: '10.0.0.1' });
    expectOnly(inPod, 'pooler', /cannot tell whether the migration's Job has MIGRATE_DATABASE_URL/, /itself/, 'advice');
    const [settings] = inPod.findings;
    expect(settings?.what).toMatch(/not checked, .*: WEBHOOK_PROXY_URL, MIGRATE_DATABASE_URL$/);
    expect(faults(await doctor({ ...env, MIGRATE_DATABASE_URL: database.url }))).toEqual([]);
  } finally {
    await bouncer.stop();
  }
});

test('a wrong clock', async () => {
  const skewed = await doctor({}, () => new Date(Date.now() + HOUR_MS));
  expectOnly(skewed, 'clock', /3[56]\d\d\.\d s ahead of PostgreSQL's/, /NTP/);
});

test('a PostgreSQL that is too old', async () => {
  await plantSetting('server_version_num', '140012');
  expectOnly(await doctor(), 'version', /^PostgreSQL 14$/, /^upgrade it to 15 or newer$/);
});

test('a server that has hardly any connections left', async () => {
  await plantSetting('max_connections', '4');
  const examined = await doctor();
  const used = faults(examined).find(({ check }) => check === 'connections');
  expect([examined.code, used]).toEqual([
    1,
    {
      check: 'connections',
      state: 'problem',
      what: expect.stringMatching(/^\d+ of 1 connections are in use$/),
      fix: expect.stringMatching(/raise max_connections, lower DATABASE_POOL_SIZE/),
    },
  ]);
});

test('more processes than the server has connections for', async () => {
  const crowded = await doctor({ DATABASE_POOL_SIZE: '500' }, () => new Date(), '20,3,3');
  expectOnly(
    crowded,
    'connection budget',
    /20 \+ 3 \+ 3 processes need up to 14531 connections/,
    /max_connections/,
    'advice',
  );
});

test('a locked table: who blocks whom is named without values, and what needs the table hides no other finding', async () => {
  const session = async (name: string) => {
    const client = new pg.Client({ connectionString: database.url, application_name: name });
    await client.connect();
    return client;
  };
  const [psql, tool] = [await session('psql'), await session('tool')];
  try {
    await psql.query('BEGIN; LOCK TABLE webhooks IN ACCESS EXCLUSIVE MODE');
    const waiting = tool.query(`UPDATE webhooks SET url = 'https://s3cret.example' WHERE failing_since IS NOT NULL`);
    await eventually(async () => expect(await lockWaits(database.db)).toHaveLength(1));
    const examined = await doctor();
    expect(JSON.stringify(examined)).not.toContain('s3cret');
    const [first, ...others] = faults(examined);
    expect(first).toMatchObject({
      check: 'locks',
      what: expect.stringMatching(
        /^pid \d+ \(psql: .*LOCK TABLE webhooks.*\), idle in transaction, transaction open for \d+ s, blocks 1: pid \d+ \(tool: UPDATE webhooks SET url = \? WHERE .*\) for \d+ s$/,
      ),
      fix: expect.stringMatching(/pg_terminate_backend\(\d+\)/),
    });
    expect(others.map(({ check }) => check)).toEqual(expect.arrayContaining(['deliveries', 'receivers']));
    for (const { what, fix } of others)
      expect([what, fix]).toEqual([expect.stringMatching(/^could not be checked: /), expect.stringMatching(/locks/)]);
    for (const check of ['version', 'redis', 'checks', 'history', 'queues'])
      expect(examined.findings).toContainEqual(expect.objectContaining({ check, state: 'ok' }));
    await psql.query('ROLLBACK');
    await waiting;
  } finally {
    await psql.end();
    await tool.end();
  }
});

test('a paused queue', async () => {
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  await admin(['queues', 'pause', 'deliver'], env);
  try {
    expectOnly(await doctor(), 'queues', /^deliver is paused/, /queues resume deliver/);
  } finally {
    await admin(['queues', 'resume', 'deliver'], env);
  }
});

test('a transaction that stays open is seen', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    expect((await readServer(database.db)).oldestTransactionSeconds).toBe(0);
    await client.query('BEGIN; SELECT 1');
    expect((await readServer(database.db)).oldestTransactionSeconds).toBeGreaterThan(0);
  } finally {
    await client.end();
  }
});

test('a standby', async () => {
  await plant(database.url, 'CREATE FUNCTION planted.pg_is_in_recovery() RETURNS boolean RETURN true');
  expectOnly(await doctor(), 'writes', /is a standby and accepts no writes/, /primary/);
});

test('a database that is set to take no writes', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  expectOnly(await doctor(), 'writes', /default_transaction_read_only is on/, /disk/);
});

describe('a replica for lists', () => {
  let replica: TestDatabase;
  beforeEach(async () => {
    replica = await emptyDatabase();
  });
  afterEach(() => replica.close());

  const doctorOf = (url: string) => doctor({ DATABASE_REPLICA_URL: url });
  const replayed = (position: string) =>
    plant(
      replica.url,
      `CREATE FUNCTION planted.pg_is_in_recovery() RETURNS boolean RETURN true;
       CREATE FUNCTION planted.pg_last_wal_replay_lsn() RETURNS pg_lsn RETURN '${position}'::pg_lsn`,
    );

  test('that cannot be reached', async () => {
    expectOnly(await doctorOf('postgresql://127.0.0.1:1/x'), 'replica', /cannot be used/, /REPLICA_URL/, 'advice');
  });

  test('that is a server of its own', async () => {
    expectOnly(await doctorOf(replica.url), 'replica', /is not a replica$/, /a running streaming replica/, 'advice');
  });

  test('that is behind', async () => {
    await replayed('0/1');
    expectOnly(await doctorOf(replica.url), 'replica', /more than 2 s behind/, /pg_stat_replication/, 'advice');
  });

  test('that is up to date', async () => {
    await replayed('FFFFFFFF/FFFFFFFF');
    const { findings } = await doctorOf(replica.url);
    const what = expect.stringMatching(/^at most \d\.\d s behind the primary$/);
    expect(findings).toContainEqual({ check: 'replica', state: 'ok', what });
  });
});

describe('Redis', () => {
  let client: Redis;
  beforeEach(() => {
    client = new Redis(redis.url);
  });
  afterEach(async () => {
    await client.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '0');
    client.disconnect();
  });

  test.each([
    ['whose password is wrong', { username: 'someone', password: 'wrong' }, /WRONGPASS/],
    ['without the database of the address', { pathname: '/99' }, /DB index is out of range/],
  ])('%s', async (_which, parts, reason) => {
    const { href } = Object.assign(new URL(redis.url), parts);
    expectOnly(await doctor({ REDIS_URL: href }), 'redis', reason, /REDIS_URL, its password/);
  });

  test('that cannot be reached', async () => {
    const away = await doctor({ REDIS_URL: 'redis://127.0.0.1:1' });
    expectOnly(away, 'redis', /^127.0.0.1:1 cannot be used: .*ECONNREFUSED/, /REDIS_URL/);
  });

  test('that has no TLS, although its address says so', async () => {
    const REDIS_URL = redis.url.replace('redis:', 'rediss:');
    expectOnly(await doctor({ REDIS_URL }), 'redis', /it does not speak TLS at this port: use redis:\/\//, /REDIS_URL/);
  });

  test('whose user may not use dangerous commands, to which INFO belongs', async () => {
    await client.call('ACL', ['SETUSER', 'rented', 'on', '>pw', '~*', '&*', '+@all', '-@dangerous']);
    const { href } = Object.assign(new URL(redis.url), { username: 'rented', password: 'pw' });
    const examined = await doctor({ REDIS_URL: href, REDIS_LIMITS_URL: href });
    expectOnly(examined, 'redis', /responds, but its user cannot/, /the command INFO/, 'advice');
  });

  test.each([
    ['is too old', /redis_version:\d/, 'redis_version:5', 'redis', /^Redis 5\./, /^upgrade it to 6\.2/, 'problem'],
    [
      'keeps its policy to itself',
      /maxmemory_policy:/,
      'other_field_name:',
      'redis policy',
      /^unknown$/,
      /noeviction/,
      'advice',
    ],
  ] as const)('that %s', async (_which, part, told, check, what, fix, state) => {
    // In front of the real one, an INFO that tells something else.
    const other = createServer((near) => {
      const far = connect(redis.port, '127.0.0.1');
      near.pipe(far).on('data', (answer) => {
        near.write(answer.toString('latin1').replace(part, told), 'latin1');
      });
      near.on('close', () => far.destroy());
    });
    await once(other.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      expectOnly(await doctor({ REDIS_URL: `redis://127.0.0.1:${port}` }), check, what, fix, state);
    } finally {
      await once(other.close(), 'close');
    }
  });

  test('that evicts keys', async () => {
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expectOnly(await doctor(), 'redis policy', /^allkeys-lru, so a full Redis drops/, /noeviction/);
  });

  test('that is full', async () => {
    await client.config('SET', 'maxmemory', '1mb');
    expectOnly(await doctor(), 'redis memory', /bytes are in use/, /raise maxmemory/);
  });

  test('that forgets its data', async () => {
    const { findings, code } = await doctor();
    const persistence = findings.find(({ check }) => check === 'redis persistence');
    expect([code, persistence]).toEqual([
      0,
      expect.objectContaining({ state: 'advice', fix: expect.stringContaining('appendonly') }),
    ]);
  });
});

test('a history whose partitions nobody creates and drops', async () => {
  const began = new Date(Date.now() - 2400 * HOUR_MS);
  await beginHistory(database.db, began);
  await rotateHistory(database.db, { retentionDays: 30, now: began });
  const what = /^deliveries lacks a partition for tomorrow, .*messages has rows that expired \d+ days ago$/;
  expectOnly(await doctor(), 'history', what, /History partitions/);
  expect(faults(await doctor({ WEBHOOK_RETENTION_DAYS: '365' }))).toEqual([
    expect.objectContaining({ what: expect.not.stringContaining('expired') }),
  ]);
});

test('another ENCRYPTION_KEY', async () => {
  expectOnly(await doctor({ ENCRYPTION_KEY: key() }), 'encryption key', /refuse to start/, /original key/);
  const none = await doctor({ ENCRYPTION_KEY: '' });
  expectOnly(none, 'encryption key', /was not checked/, /environment of the services/, 'advice');
});

test('secrets that need an older key, or one that is not there', async () => {
  const { db } = database;
  const newer = key();
  const ring = { ENCRYPTION_KEY: `${newer},${KEY}` };
  expectOnly(
    await doctor(ring),
    'stored secrets',
    new RegExp(`^1 are encrypted with the older key ${CIPHER.id}, not with ${createSecretCipher(newer).id}$`),
    /keys re-encrypt/,
    'advice',
  );
  expect((await admin(['keys', 're-encrypt'], { DATABASE_URL: database.url, ...ring })).code).toBe(0);
  expectOnly(await doctor(ring), 'stored secrets', /^nothing needs the older key/, /^remove it/, 'advice');
  expect(faults(await doctor({ ENCRYPTION_KEY: newer }))).toEqual([]);
  const encryptedSecret = createSecretCipher(key()).encrypt('whsec');
  const accountId = await newAccount(db, new Date());
  const answered = { status: 200, sealedBody: encryptedSecret, createdAt: new Date(), leasedUntil: new Date() };
  await db.idempotencyKey.create({
    data: { accountId, key: 'one', requestHash: Buffer.from('x'), holder: 'x', ...answered },
  });
  const answers = /^no key in ENCRYPTION_KEY decrypts 1 of the responses stored for an Idempotency-Key/;
  expectOnly(await doctor({ ENCRYPTION_KEY: newer }), 'stored secrets', answers, /expire within a day/);
  await newWebhook(db, accountId, new Date(), { encryptedSecret });
  const examined = await doctor({ ENCRYPTION_KEY: newer });
  expectOnly(examined, 'stored secrets', /^no key in ENCRYPTION_KEY decrypts 1 of them/, /end of the list/);
});

test('an ENCRYPTION_KEY that is none', async () => {
  const { findings } = await doctor({ ENCRYPTION_KEY: 'secret' });
  const what = expect.stringMatching(/ENCRYPTION_KEY is not 32 bytes in base64; generate one with: openssl/);
  expect(findings).toContainEqual(expect.objectContaining({ check: 'settings', state: 'problem', what }));
});

test.each([
  ['WEBHOOK_PROXY_URL', 'proxy:3128', /^WEBHOOK_PROXY_URL must have the form/],
  ['WEBHOOK_CONCURRENCY', 'many', /^WEBHOOK_CONCURRENCY must be a whole number$/],
  ['RATE_LIMITS', 'shipment=5', /^RATE_LIMITS has "shipment=5"/],
  ['TRUST_PROXY', '10.0.0.0/99', /^TRUST_PROXY has "10.0.0.0\/99"/],
])('an invalid %s, whichever process reads it', async (name, value, what) => {
  const { findings } = await doctor({ [name]: value });
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'settings', state: 'problem', what: expect.stringMatching(what) }),
  );
});

test('a fault of a setting that doctor needs itself does not hide those of the others', async () => {
  const examined = await doctor({ DATABASE_POOL_SIZE: 'many', WEBHOOK_CONCURRENCY: 'many' });
  expect([examined.code, faults(examined)]).toMatchObject([
    1,
    [
      { state: 'problem', what: 'DATABASE_POOL_SIZE must be a whole number' },
      { state: 'problem', what: 'WEBHOOK_CONCURRENCY must be a whole number' },
      { state: 'advice', what: expect.stringMatching(/^neither the database nor Redis was checked/) },
    ],
  ]);
});

test('a queue in PostgreSQL without its tables', async () => {
  const queue = async () => (await doctor({ REDIS_URL: '' })).findings.find(({ check }) => check === 'queue');
  expect(await queue()).toMatchObject({ state: 'ok' });
  await sql('DROP SCHEMA bullmq CASCADE');
  expect(await queue()).toMatchObject({
    state: 'problem',
    what: expect.stringContaining('has no schema'),
    fix: expect.stringContaining('migrate'),
  });
});

test('a provider that is on without its keys', async () => {
  const { findings, code } = await doctor({ PROVIDERS: 'ship24' });
  const [fault] = findings.filter(({ state }) => state === 'problem');
  expect([code, fault]).toEqual([
    1,
    {
      check: 'settings',
      state: 'problem',
      what: expect.stringMatching(/SHIP24_KEY/),
      fix: expect.stringMatching(/do not start without it/),
    },
  ]);
});

test('a provider that refuses its key', async () => {
  const now = new Date();
  const pausedUntil = new Date(now.getTime() + HOUR_MS);
  const pause = {
    provider: 'ship24',
    failures: 5,
    failure: 'auth',
    reason: '401: invalid key',
    pausedUntil,
    updatedAt: now,
  };
  await database.db.providerPause.create({ data: pause });
  expectOnly(await doctor(), 'providers', /ship24 is paused: 401: invalid key/, /correct the credentials/);
});

test('a provider that an operator has paused', async () => {
  await admin(['providers', 'pause', 'ship24', '--for', '2h', '--reason', 'contract'], { DATABASE_URL: database.url });
  expectOnly(
    await doctor(),
    'providers',
    /^ship24 is paused by an operator until \S+Z: contract$/,
    /providers resume ship24/,
    'advice',
  );
});

describe('--online', () => {
  afterEach(stopServers);

  async function online(status: number, body: string, watched = true) {
    const { db } = database;
    const now = new Date();
    const more = { carrier: 'dhl', provider: 'dhl-unified' };
    if (watched) await newTrackings(db, await newAccount(db, now), ['JD014600003RU'], now, more);
    const carrier = await recordingServer({ status, body });
    const env = { DHL_UNIFIED_API_KEY: 'its-key', PROVIDER_URLS: `dhl-unified=${carrier.baseUrl}` };
    const given = { DATABASE_URL: database.url, ENCRYPTION_KEY: KEY, ...env };
    const { stdout } = await admin(['doctor', '--online', '--json'], given);
    expect(stdout).not.toContain('its-key');
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    return { calls: carrier.requested.length, found: findings.filter(({ check }) => check === 'carrier calls') };
  }

  test('calls each provider once about a parcel of its own', async () => {
    const { calls, found } = await online(404, '{"status":404,"title":"Not Found"}');
    expect([calls, found]).toEqual([
      1,
      [{ check: 'carrier calls', state: 'ok', what: expect.stringMatching(/^dhl-unified responds .* in \d+ ms$/) }],
    ]);
  });

  test('names a provider that refuses the credentials', async () => {
    const { found } = await online(401, '{"status":401,"title":"Unauthorized"}');
    expect(found).toMatchObject([{ state: 'problem', fix: expect.stringContaining('credentials of dhl-unified') }]);
  });

  test('calls nobody about a number that is not watched', async () => {
    const { calls, found } = await online(404, '{}', false);
    expect([calls, found]).toMatchObject([0, [{ state: 'advice', fix: expect.stringContaining('providers try') }]]);
  });
});

test('checks that nobody makes', async () => {
  const { db } = database;
  const accountId = await newAccount(db, new Date());
  await newTrackings(db, accountId, [freshNumber()], new Date(Date.now() - HOUR_MS));
  await db.check.updateMany({ data: { nextCheckAt: new Date(Date.now() - HOUR_MS) } });
  expectOnly(await doctor(), 'checks', /overdue at \S+ since /, /Checks late/);
});

test('deliveries that nobody makes', async () => {
  const { db } = database;
  const then = new Date(Date.now() - HOUR_MS);
  const accountId = await newAccount(db, then);
  await newWebhook(db, accountId, then, { encryptedSecret: CIPHER.encrypt('whsec') });
  await newDeliveries(db, accountId, then);
  await db.check.deleteMany();
  expectOnly(await doctor(), 'deliveries', /has been due for 36\d\d s/, /Deliveries late/);
});

test('a receiver that has been unreachable for hours', async () => {
  const { db } = database;
  const accountId = await newAccount(db, new Date());
  const { id } = await newWebhook(db, accountId, new Date(), { encryptedSecret: CIPHER.encrypt('whsec') });
  await db.webhook.update({ where: { id }, data: { failingSince: new Date(Date.now() - 2 * HOUR_MS) } });
  expectOnly(await doctor(), 'receivers', new RegExp(`1 have been failing .*${accountId}`), /receiver-check/, 'advice');
});

describe('beside npm start', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'pts-doctor-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  async function standalone(encryptionKey: string) {
    const ready = {
      base_url: 'http://127.0.0.1:8080',
      api_key: 'tk_1',
      database_url: database.url,
      redis_url: null,
      settings: { ENCRYPTION_KEY: encryptionKey },
    };
    writeFileSync(join(dir, 'ready.json'), JSON.stringify(ready));
    const { code, stdout } = await admin(['doctor', '--json'], { STANDALONE_DIR: dir });
    return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
  }

  test('nothing is to be done: it counts one process of each, and has the key', async () => {
    const examined = await standalone(KEY);
    expect([examined.code, faults(examined)]).toEqual([0, []]);
    const what = expect.stringMatching(/^1 \+ 1 \+ 1 processes need up to 91 connections/);
    expect(examined.findings).toContainEqual({ check: 'connection budget', state: 'ok', what });
    expect(examined.findings).toContainEqual(expect.objectContaining({ check: 'stored secrets', state: 'ok' }));
  });

  test('a key that was replaced', async () => {
    expectOnly(await standalone(key()), 'encryption key', /refuse to start/, /original key/);
  });
});

test('a fleet that is not three numbers is refused', async () => {
  const { code, stderr } = await admin(['doctor', '--fleet', '3'], { DATABASE_URL: database.url });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--fleet must be three numbers')]);
});
