import { setTimeout as delay } from 'node:timers/promises';
import { queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import { type OutageSwitch, startOutageSwitch } from '@pts/testing/network-faults';
import { startWorldPostgres, type WorldPostgres } from '../../chaos/world/postgres.ts';
import { startWorldRedis, type WorldRedis } from '../../chaos/world/world.ts';
import { type AlertWatch, watchAlerts } from '../support/alert-watch.ts';
import { merchantOf } from '../support/merchant.ts';
import { type Process, type Processes, startProcesses } from '../support/processes.ts';
import { tuning } from '../support/tuning.ts';

/**
 * Rules wait this much shorter than in production. What the processes themselves need does not get faster: queues are
 * looked at every 15 s, which must be less than the range of the alert about them, so that a late answer of a busy
 * machine is no outage.
 */
const FACTOR = 15;
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

/** What happens, and the alert that fires: of how many processes or targets at once, if not of one. */
type Failure = {
  name: string;
  fires: string;
  together?: number;
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
const refuseUpdates = (table: string) => `
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE insufficient_privilege; END $$;
  CREATE TRIGGER refuse BEFORE UPDATE ON ${table} EXECUTE FUNCTION refuse()`;
const REFUSE_NO_MORE = 'DROP FUNCTION refuse() CASCADE';
const AN_HOUR_AHEAD = `const { now } = Date; Date.now = () => now() + 3_600_000`;

/** Those of a group happen together, groups one after the other, in one installation. */
const GROUPS: readonly (readonly Failure[])[] = [
  [
    {
      name: 'a job has failed because of a bug',
      fires: 'ParcelTrackingJobsFail',
      begin: async (world) => {
        await change(world, refuseUpdates('deliveries'));
        await register(world, 'SBXORDINARY9902');
        const { output } = world.processes.of('webhook-dispatcher');
        await eventually(() => expect(output()).toContain('"job failed"'));
        await change(world, REFUSE_NO_MORE);
      },
      end: () => {},
    },
    {
      name: 'a receiver has been dead for a day',
      fires: 'ParcelTrackingReceiverDead',
      begin: async (world) => {
        world.isReceiverDead = true;
        await register(world, 'SBXORDINARY9901');
        await eventually(async () => expect((await change(world, FAILING_FOR_A_DAY)).rowCount).toBe(1));
      },
      end: (world) => {
        world.isReceiverDead = false;
      },
    },
    {
      name: 'a carrier refuses every call',
      fires: 'ParcelTrackingProviderPaused',
      begin: ({ carrier }) => carrier.set(SANDBOX, '429'),
      end: async (world) => {
        world.carrier.set(SANDBOX, null);
        await change(world, 'DELETE FROM provider_pauses');
      },
    },
    {
      name: 'Redis is stopped',
      fires: 'ParcelTrackingQueueAway',
      // Of the pollers and of the dispatchers.
      together: 2,
      begin: ({ redis }) => redis.stop(),
      end: ({ redis }) => redis.start(),
    },
  ],
  [
    {
      name: 'checks that are due cannot be claimed',
      fires: 'ParcelTrackingWorkDoesNotFlow',
      begin: (world) => change(world, refuseUpdates('check_slots')),
      end: (world) => change(world, REFUSE_NO_MORE),
    },
    {
      name: 'one of two pollers is missing',
      fires: 'ParcelTrackingPodMissing',
      begin: (world) => kill(pollers(world).slice(0, 1)),
      end: () => {},
    },
    {
      name: 'then runs on a machine whose clock is an hour ahead',
      fires: 'ParcelTrackingClockWrong',
      begin: async (world) => {
        // With this poller, none is missing.
        await isTold({ fires: 'ParcelTrackingPodMissing' });
        pollers(world)[0]?.start(['--import', `data:text/javascript,${encodeURIComponent(AN_HOUR_AHEAD)}`]);
      },
      end: async (world) => {
        await kill(pollers(world).slice(0, 1));
        pollers(world)[0]?.start();
      },
    },
  ],
  [
    {
      name: 'every poller is dead',
      fires: 'ParcelTrackingProcessMissing',
      begin: (world) => kill(pollers(world)),
      end: (world) => pollers(world).forEach((poller) => void poller.start()),
    },
  ],
  [
    {
      name: 'PostgreSQL is stopped',
      fires: 'ParcelTrackingDatabaseUnavailable',
      begin: ({ postgres }) => postgres.stop('fast'),
      end: ({ postgres }) => postgres.start(),
    },
  ],
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
      ...tuning({ sweepIntervalMs: 200, retryTimeScale: 0.02 }),
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

/** How many of an alert one message has told at most. */
function told(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { groupLabels, alerts: its } of alerts.messages())
    counts.set(groupLabels.alertname, Math.max(counts.get(groupLabels.alertname) ?? 0, its.length));
  return counts;
}

/**
 * Waits until Alertmanager has told it: of alerts of the same kind it waits for more, and one that ends earlier is
 * never sent.
 */
const isTold = ({ fires, together = 1 }: Pick<Failure, 'fires' | 'together'>) =>
  eventually(() => expect(told().get(fires)).toBeGreaterThanOrEqual(together));

const nameOf = (group: readonly Failure[]) => group.map(({ name }) => name).join(', ');

test.each(GROUPS.map((group) => [nameOf(group), group] as const))(
  'while %s, the alerts of these failures fire and no other; they end with the failures',
  async (_names, group) => {
    const before = alerts.began().length;
    const since = () => new Set(alerts.began().slice(before));
    for (const { begin } of group) await begin(world);
    const begunAt = performance.now();
    // Each ends as soon as it was seen: a failure that lasts causes others.
    const seen = group.map(async (failure) => {
      await eventually(() => expect(since()).toContain(failure.fires));
      process.stdout.write(`${failure.fires} after ${((performance.now() - begunAt) / 1000).toFixed(1)} s\n`);
      await isTold(failure);
      await failure.end(world);
    });
    await Promise.all(seen);
    await eventually(() => expect(alerts.active()).toEqual([]));
    process.stdout.write(`ended after ${((performance.now() - begunAt) / 1000).toFixed(1)} s\n`);
    expect(since()).toEqual(new Set(group.map(({ fires }) => fires)));
  },
  900_000,
);

test('those whom its severity names were told of each alert, with its runbook', () => {
  const receiverOf = { critical: 'pager', warning: 'tickets', info: 'digest' } as Record<string, string>;
  for (const { receiver, groupLabels, alerts: its } of alerts.messages()) {
    for (const { labels, annotations } of its) {
      expect([groupLabels.alertname, receiver]).toEqual([groupLabels.alertname, receiverOf[labels.severity]]);
      expect(annotations).toEqual({ summary: expect.any(String), runbook_url: expect.stringMatching(/runbooks\.md#/) });
    }
  }
  expect([...told().keys()]).toEqual(expect.arrayContaining(GROUPS.flat().map(({ fires }) => fires)));
});
