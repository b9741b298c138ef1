import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessName } from '@pts/testing/app-process';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startGate } from '@pts/testing/network-faults';
import { testFolder, testServer } from '@pts/testing/stores';
import { balance } from '../../chaos/ledger/balance.ts';
import { collect } from '../../chaos/ledger/collect.ts';
import type { Endpoint, Registration } from '../../chaos/ledger/facts.ts';
import { createBalancer } from '../../chaos/load/merchants.ts';
import { scansOf } from '../../chaos/world/carriers.ts';
import { rowsOf } from '../../chaos/world/postgres.ts';
import { startWorldReceivers } from '../../chaos/world/world.ts';
import { newKey } from '../support/merchant.ts';
import { startProcesses } from '../support/processes.ts';

/** More than the work of a parcel has: what follows on a busy machine is idle sweeps. */
const MAX_PLACES = 40;
const NOTHING_LOST = { parcels: new Map(), messages: new Set<string>(), unlogged: new Set<string>() };
const PRELOAD = new URL('../support/kill-at.mjs', import.meta.url).href;

type World = Awaited<ReturnType<typeof startWorld>>;
/** The work of one parcel in which a process is killed. */
type Lane = {
  name: string;
  app: ProcessName;
  /** Whether the first check finds the delivery; otherwise it finds the label, and the next check the delivery. */
  inOneCheck: boolean;
  hasIdempotencyKey?: boolean;
  /** Whether the next kill waits until this one's work is settled. */
  waits?: boolean;
};
/** A place is the n-th of the work, or the first one with a name. */
type At = number | string;
type Run = { places: readonly string[]; kill: Kill | null };
type Kill = { at: At; place: string; path: string; settled: Promise<number> };

const LANES: readonly Lane[] = [
  { name: 'registration', app: 'api', inOneCheck: true },
  { name: 'registration with Idempotency-Key', app: 'api', inOneCheck: true, hasIdempotencyKey: true },
  { name: 'push', app: 'webhook-dispatcher', inOneCheck: true, waits: true },
  // Their leases last half a minute and a minute, so the work of all kills is settled together.
  { name: 'regular check', app: 'carrier-poller', inOneCheck: false },
  { name: 'first check', app: 'carrier-poller', inOneCheck: true },
];

/** An installation whose processes can be killed at a place, with receivers and the ledger of the chaos runs. */
async function startWorld(redis: 'up' | 'absent' | 'hung') {
  const closers: (() => Promise<unknown>)[] = [];
  const database = await testDatabase();
  closers.unshift(database.close);
  const gate = await startGate(testServer('TEST_REDIS_URL'), 6379);
  closers.unshift(gate.close);
  const receivers = await startWorldReceivers({ push: () => {} });
  closers.unshift(receivers.close);
  const plan = join(testFolder(), `kill-plan-${randomUUID()}.json`);
  const service = await startProcesses({
    databaseUrl: database.url,
    directUrl: database.url,
    flags: [`--import=${PRELOAD}?plan=${plan}`],
    env: {
      REDIS_URL: redis === 'absent' ? '' : gate.url,
      SANDBOX_SPEED: '1000',
      CHECK_INTERVAL_SECONDS: '3',
    },
  });
  closers.unshift(service.stop);
  if (redis === 'hung') gate.set('mute');
  return {
    service,
    postgres: { directUrl: database.url, lost: NOTHING_LOST },
    receivers,
    sandboxUrl: service.sandboxUrl,
    call: createBalancer([{ url: service.ready.base_url }], () => {}),
    merchants: [] as { account: string; apiKey: string }[],
    endpoints: [] as Endpoint[],
    registrations: [] as Registration[],
    arm: (app: ProcessName, about: string, at: At) => writeFileSync(plan, JSON.stringify({ app, about, at })),
    disarm: () => rmSync(plan, { force: true }),
    close: async () => {
      for (const close of closers) await close();
    },
  };
}

/** A merchant with an endpoint of its own. */
async function newMerchant({ postgres, merchants, endpoints, receivers, call }: World) {
  const { key: apiKey, accountId: account } = await newKey(postgres.directUrl);
  const path = `/${account}`;
  const events = ['tracking_update', 'tracking_delivered', 'tracking_exception'];
  await eventually(async () => {
    const answer = await call('POST', '/webhooks', apiKey, { url: `${receivers.url}${path}`, events });
    if (answer.kind !== 'answered' || answer.code !== 200) throw new Error(JSON.stringify(answer));
    const { id, secret } = answer.data as { id: string; secret: string };
    receivers.know(path, secret);
    endpoints.push({ webhookId: id, account, path });
  });
  merchants.push({ account, apiKey });
  return { account, apiKey, path };
}

/** Sends the number until it is accepted. */
async function register(world: World, merchant: { account: string; apiKey: string }, number: string, key?: string) {
  const registration: Registration = { account: merchant.account, number, outcome: 'accepted', ids: [] };
  world.registrations.push(registration);
  await eventually(async () => {
    const response = await fetch(`${world.service.ready.base_url}/api/v1/trackings/create`, {
      method: 'POST',
      headers: {
        'X-API-Key': merchant.apiKey,
        'Content-Type': 'application/json',
        ...(key && { 'Idempotency-Key': key }),
      },
      body: JSON.stringify({ tracking_number: number }),
    });
    const { code, data } = (await response.json()) as { code: number; data: { id: string } };
    expect(code).toBe(200);
    registration.ids.push(data.id);
  });
}

/** Waits until the parcel has this state and its pushes are recorded, without any lease left. */
async function untilSettled({ postgres }: World, account: string, isWanted: (subStatus: string) => boolean) {
  await eventually(async () => {
    const rows = await rowsOf<{ subStatus: string; sent: number; left: number }>(
      postgres.directUrl,
      `SELECT t.sub_status AS "subStatus",
         (SELECT count(*)::int FROM deliveries d WHERE d.account_id = t.account_id AND d.state = 'delivered') AS sent,
         (SELECT count(*)::int FROM deliveries d WHERE d.account_id = t.account_id AND d.state = 'owed')
         + (SELECT count(*)::int FROM endpoint_turns l JOIN webhooks w ON w.id = l.webhook_id
            WHERE w.account_id = t.account_id AND l.expires_at > now()) AS left
       FROM trackings t WHERE t.account_id = '${account}'`,
    );
    expect(rows).toEqual([{ subStatus: expect.anything(), sent: expect.any(Number), left: 0 }]);
    expect(rows.every(({ subStatus, sent }) => sent > 0 && isWanted(subStatus))).toBe(true);
  });
}

let lastNumber = 100_000;
function newNumber(): string {
  lastNumber += 1;
  return `SBXEXPRESS${lastNumber}`;
}

/** A poller that has just started opens connections and runs every sweep, until well after its first check. */
async function warmUp(world: World): Promise<void> {
  const merchant = await newMerchant(world);
  await register(world, merchant, newNumber());
  await untilSettled(world, merchant.account, (subStatus) => subStatus !== 'pending');
}

/** Kills the lane's process at a place of the work of a new parcel, if it gets there. */
async function killAt(world: World, lane: Lane, at: At): Promise<Run> {
  const { app, inOneCheck, hasIdempotencyKey } = lane;
  if (app === 'carrier-poller') await warmUp(world);
  const merchant = await newMerchant(world);
  const victim = world.service.of(app);
  const number = newNumber();
  // A poller's work begins with the claim, whose answer has the number; the idle sweeps name accounts, too.
  const about = app === 'carrier-poller' ? number : merchant.account;
  // A journey begins with the first query.
  if (inOneCheck) await scansOf(world.sandboxUrl, 'sandbox', number);
  if (inOneCheck) world.arm(app, about, at);
  const registered = register(world, merchant, number, hasIdempotencyKey ? randomUUID() : undefined);
  registered.catch(() => {});
  if (!inOneCheck) {
    await registered;
    await untilSettled(world, merchant.account, (subStatus) => subStatus !== 'pending');
    world.arm(app, about, at);
  }
  const settled = registered.then(() => untilSettled(world, merchant.account, (state) => state === 'delivered'));
  // What the others do ends with the push; the rest of their time is idle.
  const pushed = () =>
    world.receivers.pushes.some(
      ({ endpoint, event }) => `${endpoint} ${event}` === `${merchant.path} tracking_delivered`,
    );
  const ended = app === 'webhook-dispatcher' ? settled : eventually(() => expect(pushed()).toBe(true), { everyMs: 5 });
  await Promise.race([victim.exited, ended]);
  world.disarm();
  const isKilled = await fetch(victim.metricsUrl).then(
    () => false,
    () => true,
  );
  if (isKilled) await victim.exited;
  const lines = victim.output().matchAll(new RegExp(`place of ${about}: (.*)$`, 'gm'));
  const places = Array.from(lines, ([, place = '']) => place);
  // On a busy machine, the regular check may have come first.
  if (!isKilled && places.length === 0 && !inOneCheck) return killAt(world, lane, at);
  if (!isKilled) await settled;
  if (!isKilled) return { places, kill: null };
  const killedAt = performance.now();
  const starts = victim.output().split('"ready"').length;
  victim.start();
  await eventually(() => expect(victim.output().split('"ready"').length).toBeGreaterThan(starts), { everyMs: 20 });
  const seconds = settled.then(() => (performance.now() - killedAt) / 1000);
  if (lane.waits) await seconds;
  return { places, kill: { at, place: places.at(-1) ?? '', path: merchant.path, settled: seconds } };
}

/** Kills at the first place, the second and so on, until a run has no more; then at those that were only passed. */
async function killAtEach(world: World, lane: Lane): Promise<Kill[]> {
  const kills: Kill[] = [];
  const passed = new Set<string>();
  const run = async (at: At) => {
    const { places, kill } = await killAt(world, lane, at);
    for (const place of places) passed.add(place);
    if (kill) kills.push(kill);
    return kill !== null;
  };
  let n = 1;
  while (n <= MAX_PLACES && (await run(n))) n += 1;
  for (const place of passed) if (!kills.some((kill) => kill.place === place)) await run(place);
  return kills;
}

function print(title: string, rows: readonly object[]): void {
  const lines = rows.map((row) => `| ${Object.values(row).join(' | ')} |`);
  process.stdout.write(
    `\n${[title, '| at | killed | each event received | settled, s |', '|---|---|---|---|', ...lines].join('\n')}\n`,
  );
}

test.concurrent.each(['up', 'absent', 'hung'] as const)(
  'with Redis %s, a kill at any place loses nothing, and repeats a push at most once',
  async (redis) => {
    const world = await startWorld(redis);
    try {
      for (const lane of LANES) {
        const startedAt = performance.now();
        const kills = await killAtEach(world, lane);
        const seconds = await Promise.all(kills.map(({ settled }) => settled));
        const rows = kills.map(({ at, place, path }, i) => {
          const times = new Map<string, number>();
          for (const { endpoint, messageId } of world.receivers.pushes)
            if (endpoint === path) times.set(messageId, (times.get(messageId) ?? 0) + 1);
          return {
            at: typeof at === 'number' ? at : 'by name',
            place,
            received: [...times.values()],
            seconds: seconds[i]?.toFixed(1),
          };
        });
        print(`Redis ${redis}, ${lane.name}, ${((performance.now() - startedAt) / 1000).toFixed()} s`, rows);
        expect(rows).not.toEqual([]);
        const most = lane.app === 'webhook-dispatcher' ? 2 : 1;
        expect(rows.filter(({ received }) => received.some((times) => times > most))).toEqual([]);
      }
      expect(balance(await collect(world, world.registrations, []))).toEqual([]);
      // An arrived parcel has its last check a day later.
      const stuck = await rowsOf(
        world.postgres.directUrl,
        `SELECT * FROM checks WHERE NOT final_look OR next_check_at NOT BETWEEN now() + '23 h' AND now() + '25 h'`,
      );
      expect(stuck).toEqual([]);
    } finally {
      await world.close();
    }
  },
  1_800_000,
);
