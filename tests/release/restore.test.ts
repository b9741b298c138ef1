import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { migrateDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import { type SystemPostgres, systemPostgres } from '@pts/testing/servers/postgres';
import { testServer } from '@pts/testing/stores';
import { merchantOf } from '../support/merchant.ts';
import { type Processes, startProcesses } from '../support/processes.ts';
import { readPush } from '../support/pushes.ts';
import { tuning } from '../support/tuning.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const KEY = randomBytes(32).toString('base64');
/** Journeys of 23 s. */
const SPEED = '2';
/**
 * The first ones are on the road when the dump is made, and delivered before the server is lost; the others have just
 * begun.
 */
const EARLY = Array.from({ length: 3 }, (_, n) => `SBXORDINARY77${n}`);
const LATE = Array.from({ length: 3 }, (_, n) => `SBXORDINARY78${n}`);
const NUMBERS = [...EARLY, ...LATE];

/** The commands of the section, in order: how to make a backup, how to restore it, and how to check the result. */
function commandsOf(section: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const [, text = ''] = page.split(`\n### ${section}\n`);
  return Array.from(text.split(/\n##/)[0]?.matchAll(/^```sh\n([\s\S]*?)^```$/gm) ?? [], ([, command = '']) => command);
}

let system: SystemPostgres;
let servers: Postgres[];
let dir: string;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  system = await systemPostgres();
  const start = () => startPostgres({ persistent: false, binaries: system.binaries });
  servers = await Promise.all([start(), start()]);
  dir = mkdtempSync(join(tmpdir(), 'pts-restore-'));
}, 120_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(dir, { recursive: true, force: true });
}, 60_000);

/** Runs commands of the page, in the checkout, with the dump in a folder of the test. */
async function run(commands: string, env: Record<string, string>): Promise<string> {
  const running = promisify(execFile)(
    'bash',
    ['-e', '-c', commands.replaceAll('parcel-tracking.dump', join(dir, 'parcel-tracking.dump'))],
    {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
      env: {
        ...{ HOME: process.env.HOME, LANG: 'C.UTF-8', REDIS_URL: testServer('TEST_REDIS_URL'), ENCRYPTION_KEY: KEY },
        ...{ ...system.env, ...env, PATH: [join(system.binaries, 'bin'), process.env.PATH].join(delimiter) },
      },
    },
  );
  const { stdout } = await running.catch((error: Error & { stdout: string }) => {
    throw new Error(`${error.message}\n${error.stdout}`);
  });
  return stdout;
}

/** The ids of all pushes that were accepted, as the database knows them. */
async function recordedBy({ client }: ReturnType<typeof merchantOf>): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { message_id } of client.webhooks.iterateDeliveries({ outcome: 'delivered' })) ids.add(message_id);
  return ids;
}

const pushesTo = (receiver: Receiver, secret: string) => receiver.requests.map((request) => readPush(request, secret));

test('a service that is restored from its dump goes on: by the commands of the page, with higher numbers', async () => {
  const [backup = '', restore = '', check = ''] = commandsOf('Backup and restore');
  const [old, empty] = servers as [Postgres, Postgres];
  await migrateDatabase(old.url);
  const steady = await startReceiver();
  let isDown = true;
  const failing = await startReceiver({ respond: () => ({ status: isDown ? 503 : 200 }) });
  closing.push(steady.close, failing.close);
  const settings = {
    ENCRYPTION_KEY: KEY,
    SANDBOX_SPEED: SPEED,
    PROVIDERS: 'sandbox',
    ...tuning({ retryTimeScale: 0.05 }),
  };

  // A service in the middle of its work: one receiver has what happened so far, the other one has nothing.
  const before = await startProcesses({ databaseUrl: old.url, directUrl: old.url, env: settings });
  closing.push(before.stop);
  const merchant = merchantOf(before);
  const secrets = { steady: await merchant.subscribe(steady.url), failing: await merchant.subscribe(failing.url) };
  await Promise.all(EARLY.map((number) => merchant.register(number)));
  await eventually(() => {
    // On a busy machine, its next state may be the first one that is seen.
    const nearTheEnd = pushesTo(steady, secrets.steady).filter(({ data }) => data.status !== '查询中');
    expect(new Set(nearTheEnd.map(({ data }) => data.tracking_number)).size).toBe(EARLY.length);
    expect(failing.requests.length).toBeGreaterThan(0);
  });
  await Promise.all(LATE.map((number) => merchant.register(number)));
  // A push is received a moment before its record is stored.
  const announced = await eventually(async () => {
    const received = pushesTo(steady, secrets.steady).map(({ messageId }) => messageId);
    const recorded = await recordedBy(merchant);
    expect(received.filter((id) => !recorded.has(id))).toEqual([]);
    return recorded;
  });
  const { data: feed } = await merchant.call<{ next_cursor: string }>('GET', '/events');
  await run(backup, { MIGRATE_DATABASE_URL: old.url });
  const dumped = await run(`pg_restore --file=- parcel-tracking.dump`, {});
  for (const secret of [before.ready.api_key, secrets.steady, secrets.failing, KEY])
    expect(dumped.includes(secret)).toBe(false);
  // It goes on after the dump: these events are lost with the server, but their receiver has them.
  await eventually(async () => {
    const trackings = await merchant.read(EARLY);
    expect(trackings.map(({ status }) => status)).toEqual(EARLY.map(() => '已签收'));
  });
  const sandbox = before.of('sandbox-carrier');
  await Promise.all(before.all.filter((each) => each !== sandbox).map((each) => each.stop('SIGKILL')));
  const seen = { steady: steady.requests.length, failing: failing.requests.length };
  isDown = false;

  const startedAt = performance.now();
  const urlOf = (role: string) => {
    const url = new URL(empty.url);
    return Object.assign(url, { username: `parcel_tracking_${role}`, password: role, pathname: '/parcel_tracking' })
      .href;
  };
  const env = { DATABASE_URL: urlOf('service'), MIGRATE_DATABASE_URL: urlOf('owner') };
  const passwords = { OWNER_PASSWORD: 'owner', SERVICE_PASSWORD: 'service', SUPERUSER_URL: empty.url };
  await run(restore, { ...env, ...passwords });
  const after: Processes = await startProcesses({
    databaseUrl: env.DATABASE_URL,
    directUrl: env.DATABASE_URL,
    env: { ...settings, SANDBOX_URL: before.sandboxUrl },
  });
  closing.push(after.stop);
  process.stderr.write(`restored and serving after ${Math.round(performance.now() - startedAt)} ms\n`);

  // Keys work, and checks go on to the end of every journey.
  const restored = merchantOf({ ready: { ...after.ready, api_key: before.ready.api_key } });
  await eventually(
    async () => {
      const trackings = await restored.read(NUMBERS);
      expect(trackings.map(({ status }) => status)).toEqual(NUMBERS.map(() => '已签收'));
    },
    { everyMs: 500 },
  );
  expect(await restored.quotaUsed()).toBe(NUMBERS.length);
  // Both receivers get the end of every journey; a number of a parcel means one event, at both, before and after.
  await eventually(() => {
    const delivered = (receiver: Receiver, secret: string) => {
      const pushes = pushesTo(receiver, secret).filter(({ event }) => event === 'tracking_delivered');
      return new Set(pushes.map(({ data }) => data.tracking_number));
    };
    expect(delivered(steady, secrets.steady).size).toBe(NUMBERS.length);
    expect(delivered(failing, secrets.failing).size).toBe(NUMBERS.length);
  });
  const all = [...pushesTo(steady, secrets.steady), ...pushesTo(failing, secrets.failing)];
  const idsOf = new Map<string, Set<string>>();
  for (const { messageId, data } of all) {
    const number = `${data.id} ${data.seq}`;
    idsOf.set(number, (idsOf.get(number) ?? new Set()).add(messageId));
  }
  expect([...idsOf].filter(([, each]) => each.size > 1)).toEqual([]);
  // What the lost server had pushed does not win over what is pushed since.
  const newest = new Map<string, { seq: number; status: string }>();
  for (const { data } of pushesTo(steady, secrets.steady))
    if (data.seq > (newest.get(data.id)?.seq ?? 0)) newest.set(data.id, data);
  expect([...newest.values()].map(({ status }) => status)).toEqual(NUMBERS.map(() => '已签收'));
  // What was announced before the dump is not sent again, and what was pending is sent under its id.
  const again = pushesTo(steady, secrets.steady).slice(seen.steady);
  expect(again.filter(({ messageId }) => announced.has(messageId))).toEqual([]);
  const pending = pushesTo(failing, secrets.failing);
  const ids = new Set(pending.slice(0, seen.failing).map(({ messageId }) => messageId));
  expect(pending.slice(seen.failing).some(({ messageId }) => ids.has(messageId))).toBe(true);
  // What was pending in the dump is late until it is done.
  const providers = { PROVIDERS: 'sandbox', SANDBOX_URL: before.sandboxUrl };
  const said = await eventually(() => run(check, { ...env, ...providers }));
  expect(said).toMatch(/No problems found\.\n$/);
  // Readers of the feed start over.
  expect((await restored.call('GET', `/events?after=${feed.next_cursor}`)).code).toBe(409);
}, 240_000);
