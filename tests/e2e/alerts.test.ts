import { setTimeout as delay } from 'node:timers/promises';
import { queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type OutageSwitch, startOutageSwitch } from '@pts/testing/outage-switch';
import { type Receiver, startReceiver } from '@pts/testing/receiver';
import { startWorldPostgres, type WorldPostgres } from '../../chaos/world/postgres.ts';
import { startWorldRedis, type WorldRedis } from '../../chaos/world/redis.ts';
import { type AlertWatch, watchAlerts } from '../support/alert-watch.ts';
import { merchantOf } from '../support/merchant.ts';
import { type Process, type Processes, startProcesses } from '../support/processes.ts';

/** Rules wait this much shorter than in production. What the processes themselves need does not get faster. */
const FACTOR = 30;
/** So long a busy machine may take. */
const PROMPT = { deadlineMs: 60_000 };
/** Between two requests of a merchant: error budgets are of requests. */
const REQUEST_EVERY_MS = 200;
/** The first segment of the paths of the sandbox. */
const SANDBOX = 'track';

type World = {
  postgres: WorldPostgres;
  redis: WorldRedis;
  carrier: OutageSwitch;
  isReceiverDead: boolean;
  processes: Processes;
};

type Failure = {
  name: string;
  fires: readonly string[];
  begin(world: World): unknown;
  end(world: World): unknown;
};

const pollers = ({ processes }: World) => processes.all.filter(({ app }) => app === 'carrier-poller');
const change = ({ postgres }: World, sql: string) => queryOnce(postgres.directUrl, sql);
const kill = (processes: readonly Process[]) => Promise.all(processes.map((each) => each.stop('SIGKILL')));
const register = ({ processes }: World, number: string) => merchantOf(processes).register(number);

const FAILING_FOR_A_DAY = `
  UPDATE webhooks SET failing_since = now() - interval '25 hours' WHERE failing_since IS NOT NULL`;
/** As for a role without the right: the role of these tests has every right. */
const CLAIMS_FAIL = `
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE insufficient_privilege; END $$;
  CREATE TRIGGER refuse BEFORE UPDATE ON check_slots EXECUTE FUNCTION refuse()`;

/** One after the other, in one installation. */
const FAILURES: readonly Failure[] = [
  {
    name: 'a receiver has been dead for a day, a carrier refuses every call, and Redis is stopped',
    fires: ['ParcelTrackingReceiverDead', 'ParcelTrackingProviderPaused', 'ParcelTrackingQueueAway'],
    begin: async (world) => {
      world.isReceiverDead = true;
      await register(world, 'SBXORDINARY9901');
      await eventually(async () => expect((await change(world, FAILING_FOR_A_DAY)).rowCount).toBe(1), PROMPT);
      world.carrier.set(SANDBOX, '429');
      await world.redis.stop();
    },
    end: async (world) => {
      world.isReceiverDead = false;
      world.carrier.set(SANDBOX, null);
      await world.redis.start();
      await change(world, 'DELETE FROM provider_pauses');
    },
  },
  {
    name: 'one of two pollers is missing',
    fires: ['ParcelTrackingPodMissing'],
    begin: (world) => kill(pollers(world).slice(0, 1)),
    end: (world) => pollers(world)[0]?.start(),
  },
  {
    name: 'every poller is dead',
    fires: ['ParcelTrackingProcessMissing'],
    begin: (world) => kill(pollers(world)),
    end: (world) => pollers(world).forEach((poller) => void poller.start()),
  },
  {
    name: 'checks that are due cannot be claimed',
    fires: ['ParcelTrackingBacklogGrows'],
    begin: (world) => change(world, CLAIMS_FAIL),
    end: (world) => change(world, 'DROP FUNCTION refuse() CASCADE'),
  },
  {
    name: 'PostgreSQL is stopped',
    fires: ['ParcelTrackingDatabaseUnavailable'],
    begin: ({ postgres }) => postgres.stop('fast'),
    end: ({ postgres }) => postgres.start(),
  },
];

let world: World;
let receiver: Receiver;
let alerts: AlertWatch;
let isOver = false;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  const [postgres, redis] = await Promise.all([startWorldPostgres(), startWorldRedis(() => {})]);
  closing.push(() => Promise.all([postgres.close(), redis.close()]));
  let sandboxUrl = '';
  const carrier = await startOutageSwitch(() => sandboxUrl);
  receiver = await startReceiver({ respond: () => ({ status: world.isReceiverDead ? 500 : 200 }) });
  closing.push(() => Promise.all([carrier.close(), receiver.close()]));
  const processes = await startProcesses({
    databaseUrl: postgres.url,
    directUrl: postgres.directUrl,
    replicas: { 'carrier-poller': 2 },
    envFor: (url) => {
      sandboxUrl = url;
      return { SANDBOX_URL: carrier.url };
    },
    env: {
      REDIS_URL: redis.url,
      // Parcels stay on their way for the whole test.
      SANDBOX_SPEED: '0.2',
      SWEEP_INTERVAL_MS: '200',
      LADDER_TIME_SCALE: '0.02',
    },
  });
  closing.push(() => processes.stop());
  world = { postgres, redis, carrier, isReceiverDead: false, processes };
  const merchant = merchantOf(processes);
  await eventually(() => merchant.subscribe(receiver.url));
  await eventually(() => register(world, 'SBXORDINARY9900'));
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(0));
  const watched = processes.all.filter(({ app }) => app !== 'sandbox-carrier');
  alerts = await watchAlerts(
    watched.map(({ metricsUrl }) => metricsUrl),
    FACTOR,
  );
  closing.push(() => alerts.stop());
  const traffic = (async () => {
    for (; !isOver; await delay(REQUEST_EVERY_MS)) await merchant.call('GET', '/account');
  })();
  closing.push(() => {
    isOver = true;
    return traffic;
  });
}, 120_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, 60_000);

test.each(FAILURES)(
  'while $name, its alerts fire and nothing else does; they end with the failure',
  async ({ fires, begin, end }) => {
    const before = alerts.began().length;
    const since = () => new Set(alerts.began().slice(before));
    await begin(world);
    const begunAt = performance.now();
    for (const alert of fires) {
      await eventually(() => expect(since()).toContain(alert), PROMPT);
      process.stdout.write(`${alert} after ${((performance.now() - begunAt) / 1000).toFixed(1)} s\n`);
    }
    await end(world);
    await eventually(() => expect(alerts.active()).toEqual([]), PROMPT);
    expect(since()).toEqual(new Set(fires));
  },
  180_000,
);
