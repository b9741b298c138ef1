import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROCESSES, type ProcessName } from '@pts/testing/app-process';
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

const NOTHING_LOST = { parcels: new Map(), messages: new Set<string>(), unlogged: new Set<string>() };
/** What an idle process sends and reads in about four sweeps. */
const MIN_IDLE_PLACES = 100;
const CHAOS_DOCS = new URL('../../docs/chaos.md', import.meta.url);
const PRELOAD = new URL('../support/kill-at.mjs', import.meta.url).href;

type World = Awaited<ReturnType<typeof startWorld>>;
/** The work of one parcel in which a process is killed. */
type Lane = {
  name: string;
  app: ProcessName;
  /** Whether the first check finds the delivery; otherwise it finds the label, and the next check the delivery. */
  inOneCheck: boolean;
  hasIdempotencyKey?: boolean;
};
type Run = { places: readonly string[]; kill: Kill | null };
/** A kill in a lane's work: where, in which step, and how often each push may arrive because of it. */
type Kill = { lane: string; step: string; place: string; path: string; maxTimes: number; settled: Promise<number> };

const FIRST_CHECK: Lane = { name: 'first check', app: 'carrier-poller', inOneCheck: true };
const REGULAR_CHECK: Lane = { name: 'regular check', app: 'carrier-poller', inOneCheck: false };
const REGISTRATION: Lane = { name: 'registration', app: 'api', inOneCheck: true };
const KEYED: Lane = { name: 'registration with key', app: 'api', inOneCheck: true, hasIdempotencyKey: true };
const PUSH: Lane = { name: 'push', app: 'webhook-dispatcher', inOneCheck: true };

/** A row of the table in docs/chaos.md: a step of the work, and words of the messages that are sent in it. */
type Step = { name: string; processes: string; words: readonly string[]; repeats: string };

function documentedSteps(): Step[] {
  const [, section = ''] = readFileSync(CHAOS_DOCS, 'utf8').split('## A kill at every wait');
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => {
    const [, processes = '', name = '', messages = '', , repeats = ''] = row.split('|').map((cell) => cell.trim());
    return { name, processes, words: Array.from(messages.matchAll(/`(.+?)`/g), ([, word = '']) => word), repeats };
  });
}

const STEPS = documentedSteps();
const ELSEWHERE = 'elsewhere';
/** The step in which a push is in flight. */
const POST_STEP = STEPS.find(({ repeats }) => repeats === 'once')?.name ?? ELSEWHERE;

/** The step of a message that a process sends or reads: the first whose row has a word of it. */
function stepOf(app: ProcessName, place: string): string {
  const isOf = ({ processes, words }: Step) =>
    processes.split(', ').some((process) => app.endsWith(process.toLowerCase())) &&
    words.some((word) => place.includes(word));
  return STEPS.find(isOf)?.name ?? ELSEWHERE;
}

/** Pushes that a dispatcher had sent without reading that they are recorded, when it was killed at the last place. */
function unrecorded(places: readonly string[]): number {
  const sent = places.slice(0, -1).filter((place) => place === 'before POST over HTTP').length;
  return Math.max(0, sent - places.filter((place) => /^answer to .*UPDATE deliveries/.test(place)).length);
}

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
    /** The places at which each process waits while there is no work. */
    idle: new Map<ProcessName, Set<string>>(),
    arm: (app: ProcessName, about: string, at = '') => writeFileSync(plan, JSON.stringify({ app, about, at })),
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

/** The places of work about this text that a process has printed. */
function placesOf(output: string, about: string): string[] {
  return Array.from(output.matchAll(new RegExp(`^place of ${about}: (.*)$`, 'gm')), ([, place = '']) => place);
}

/** Learns what the sweeps of an idle process send: until the second half of what it sends is nothing new. */
async function learnIdle(world: World): Promise<void> {
  for (const app of PROCESSES.filter((name) => name !== 'api')) {
    world.arm(app, '');
    const places = await eventually(() => {
      const passed = placesOf(world.service.of(app).output(), '');
      expect(passed.length).toBeGreaterThan(MIN_IDLE_PLACES);
      const firstHalf = new Set(passed.slice(0, passed.length / 2));
      expect(passed.filter((place) => !firstHalf.has(place))).toEqual([]);
      return new Set(passed);
    });
    world.disarm();
    world.idle.set(app, places);
  }
}

/** Kills the lane's process at a place of the work of a new parcel, if it gets there. */
async function killAt(world: World, lane: Lane, at: string): Promise<Run> {
  const { app, inOneCheck, hasIdempotencyKey } = lane;
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
  const places = placesOf(victim.output(), about);
  // On a busy machine, the regular check may have come first.
  if (!isKilled && places.length === 0 && !inOneCheck) return killAt(world, lane, at);
  if (!isKilled) await settled;
  if (!isKilled) return { places, kill: null };
  const killedAt = performance.now();
  const starts = victim.output().split('"ready"').length;
  victim.start();
  await eventually(() => expect(victim.output().split('"ready"').length).toBeGreaterThan(starts), { everyMs: 20 });
  const seconds = settled.then(() => (performance.now() - killedAt) / 1000);
  const place = places.at(-1) ?? '';
  const inFlight = app === 'webhook-dispatcher' ? unrecorded(places) : 0;
  const step = inFlight > 0 ? POST_STEP : stepOf(app, place);
  const maxTimes = inFlight > 0 ? 2 : 1;
  // The next kill would have pushes that are in flight repeated once more.
  if (app === 'webhook-dispatcher') await seconds;
  return { places, kill: { lane: lane.name, step, place, path: merchant.path, maxTimes, settled: seconds } };
}

/** Kills at each place of the lane's work, in a run of its own; the first run only learns what places there are. */
async function killAtEach(world: World, lane: Lane): Promise<Kill[]> {
  const kills: Kill[] = [];
  const places = new Set(['']);
  for (const at of places) {
    const run = await killAt(world, lane, at);
    // An idle sweep may come between.
    const isOfWork = (place: string) => stepOf(lane.app, place) !== ELSEWHERE || !world.idle.get(lane.app)?.has(place);
    for (const place of run.places.filter(isOfWork)) places.add(place);
    if (run.kill) kills.push(run.kill);
  }
  return kills;
}

/** How often an endpoint received each message. */
function timesReceived({ receivers }: World, path: string): number[] {
  const times = new Map<string, number>();
  for (const { endpoint, messageId } of receivers.pushes)
    if (endpoint === path) times.set(messageId, (times.get(messageId) ?? 0) + 1);
  return [...times.values()];
}

test.concurrent.each(['up', 'absent', 'hung'] as const)(
  'with Redis %s, a kill at any wait loses nothing, and repeats only a push whose record was not read',
  async (redis) => {
    const startedAt = performance.now();
    const world = await startWorld(redis);
    try {
      await learnIdle(world);
      const kills: Kill[] = [];
      // The leases of a killed poller last up to a minute: meanwhile, the API is killed.
      for (const lane of [FIRST_CHECK, REGULAR_CHECK, REGISTRATION, KEYED])
        kills.push(...(await killAtEach(world, lane)));
      await Promise.all(kills.map(({ settled }) => settled));
      kills.push(...(await killAtEach(world, PUSH)));
      const rows = await Promise.all(
        kills.map(async ({ settled, path, ...kill }) => {
          const seconds = await settled;
          return { ...kill, times: timesReceived(world, path), seconds };
        }),
      );
      const tookSeconds = (performance.now() - startedAt) / 1000;
      print(
        `Redis ${redis}: ${rows.length} kills, ${tookSeconds.toFixed()} s`,
        ['Work', 'Step', 'Killed', 'Times that each push was received', 'Settled after, s'],
        rows.map(({ lane, step, place, times, seconds }) => [lane, step, place, times.join(', '), seconds.toFixed(1)]),
      );
      expect(rows.filter(({ times, maxTimes }) => times.some((each) => each > maxTimes))).toEqual([]);
      // The documented table: every step is reached, and repeats what it says.
      const isRepeated = ({ times }: { times: readonly number[] }) => times.some((each) => each > 1);
      for (const { name, repeats } of STEPS) {
        const ofStep = rows.filter(({ step }) => step === name);
        const found = ofStep.some(isRepeated) ? 'once' : 'never';
        expect({ name, isReached: ofStep.length > 0, repeats: found }).toEqual({ name, isReached: true, repeats });
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

function print(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  process.stdout.write(`\n${[title, '', ...lines].join('\n')}\n`);
}
