import { setTimeout as delay } from 'node:timers/promises';
import { lotPrefix } from '@pts/sandbox-carrier/stories';
import { eventually } from '@pts/testing/eventually';
import { type Figure, figure, percentile } from './figure.ts';
import { cpuBetween, type Installation, openInstallation, splitCpu, startDurableServers } from './installation.ts';
import { atRate, call, type Merchant, newMerchant, registerReceiver } from './merchant.ts';
import { seedParcels } from './seed/seed.ts';
import { type WatchedChanges, watchChanges } from './watched-changes.ts';

const PARCELS = 3000;
const CHECK_SECONDS = 5;
const SWEEP_SECONDS = 1;
/** Events per second at light loads, and registrations per second. */
const LIGHT = 10;
const GENTLE = 100;
const REGISTRATIONS = 100;
const SECONDS = { idle: 20, light: 30, gentle: 20, half: 15, registering: 10 };
/** The goals: milliseconds beyond the sweep, milliseconds from POST to push (p99), milliseconds of CPU per event. */
const GOAL = { p50: 20, p99: 100, sent: { p50: 6, p99: 15 }, post: 100, cpu: 3.5 };

type Stage = Installation & { changes: WatchedChanges; merchant: Merchant; numbers: readonly string[] };

/**
 * From a change at the carrier to its arrival at the receiver, at light loads and at half of the highest rate that the
 * services sustain; from the registration of a number to its first push; and the CPU of an event at a light load, which
 * is hardly measurable with few events beside the checks. Services, PostgreSQL and Redis as deployed.
 */
export async function benchLatency(): Promise<Figure[]> {
  const servers = await startDurableServers({ track_commit_timestamp: 'on' });
  const figures: Figure[] = [];
  try {
    for (const store of ['redis', 'postgres'] as const) {
      const database = await servers.newDatabase();
      const changes = await watchChanges();
      const installation = await openInstallation({
        databaseUrl: database.url,
        redisUrl: store === 'redis' ? servers.redisUrl : undefined,
        apps: { api: 1, 'carrier-poller': 1, 'webhook-dispatcher': 1 },
        carrierUrl: changes.carrierUrl,
        env: { CHECK_INTERVAL_SECONDS: String(CHECK_SECONDS), PROVIDER_LIMITS: 'sandbox.calls_per_second=1000' },
      });
      try {
        const stage = { ...installation, changes, ...(await prepare(installation, changes)) };
        for (const each of await measure(stage)) figures.push({ ...each, store });
      } finally {
        await installation.close();
        await changes.close();
        await database.drop();
      }
    }
  } finally {
    await servers.stop();
  }
  return figures;
}

async function prepare({ db, apiUrl }: Installation, { receiverUrl }: WatchedChanges) {
  const merchant = await newMerchant(db);
  await registerReceiver(apiUrl, merchant, receiverUrl);
  const { accountId } = merchant;
  const parcels = { accountId, total: PARCELS, changing: 0, intervalSeconds: CHECK_SECONDS, now: new Date() };
  await seedParcels(db, parcels, () => {});
  const checks = await db.check.findMany({ select: { trackingNumber: true } });
  return { merchant, numbers: checks.map(({ trackingNumber }) => trackingNumber) };
}

async function measure(stage: Stage): Promise<Figure[]> {
  // The first changes and registrations warm up the services.
  await changesAt(stage, 50, 5);
  await postsToPushes(stage, lotOf(1));
  const light = await changesAt(stage, LIGHT, SECONDS.light);
  const since = new Date();
  const idle = await cpuDuring(stage, () => delay(SECONDS.idle * 1000));
  const gentle = await cpuDuring(stage, () => changesAt(stage, GENTLE, SECONDS.gentle));
  const waits = await storedToSent(stage, since);
  const cpu = (gentle.cpuMs - (idle.cpuMs / idle.ms) * gentle.ms) / gentle.result.beyond.length;
  const max = await maxEvents(stage);
  const half = await changesAt(stage, max / 2, SECONDS.half);
  const posts = await postsToPushes(stage, lotOf(2));
  return [
    ...figuresOf(`latency ${LIGHT}/s`, light),
    ...figuresOf(`latency ${GENTLE}/s`, gentle.result),
    figure(`stored to sent p50, ${GENTLE}/s`, percentile(waits, 0.5), GOAL.sent.p50, 'ms'),
    figure(`stored to sent p99, ${GENTLE}/s`, percentile(waits, 0.99), GOAL.sent.p99, 'ms'),
    ...figuresOf(`latency half, ${Math.round(max / 2)}/s`, half),
    figure(`post-to-push p50, ${REGISTRATIONS}/s`, percentile(posts, 0.5), GOAL.post, 'ms'),
    figure(`post-to-push p99, ${REGISTRATIONS}/s`, percentile(posts, 0.99), GOAL.post, 'ms'),
    figure(`event cpu, ${GENTLE}/s`, cpu, GOAL.cpu, 'ms of CPU'),
    ...splitCpu('no events', idle.before, idle.after, GENTLE * SECONDS.idle, GOAL.cpu),
    ...splitCpu(`events, ${GENTLE}/s`, gentle.before, gentle.after, gentle.result.beyond.length, GOAL.cpu),
  ];
}

/** Milliseconds from the answer of the carrier, and from the change, to the receiver. */
type Waits = { beyond: number[]; whole: number[] };

function figuresOf(name: string, { beyond, whole }: Waits): Figure[] {
  const sweepMs = (CHECK_SECONDS + SWEEP_SECONDS) * 1000;
  return [
    figure(`${name} p50`, percentile(beyond, 0.5), GOAL.p50, 'ms'),
    figure(`${name} p99`, percentile(beyond, 0.99), GOAL.p99, 'ms'),
    figure(`${name}, with the sweep, p99`, percentile(whole, 0.99), sweepMs + GOAL.p99, 'ms'),
  ];
}

let turn = 0;

/** Changes one parcel after another at a rate, and waits until all have been pushed. */
async function changesAt({ changes, numbers }: Stage, perSecond: number, seconds: number): Promise<Waits> {
  changes.take();
  await atRate(perSecond, seconds, () => changes.change(numbers[turn++ % numbers.length] ?? ''));
  await allPushed(changes);
  const made = changes.take();
  return {
    beyond: made.map(({ answeredMs, pushedMs }) => pushedMs - answeredMs),
    whole: made.map(({ visibleMs, pushedMs }) => pushedMs - visibleMs),
  };
}

/** Milliseconds from the commit of the transaction that stored a change to its first push. */
async function storedToSent({ db }: Stage, since: Date): Promise<number[]> {
  const waits = await db.$queryRaw<{ ms: number }[]>`
    SELECT extract(epoch FROM a.started_at - pg_xact_commit_timestamp(m.xmin))::float8 * 1000 AS ms
    FROM public.delivery_attempts a JOIN public.messages m ON m.id = a.message_id
    WHERE a.started_at >= ${since} AND a.attempt = 1`;
  return waits.map(({ ms }) => ms);
}

function allPushed(changes: WatchedChanges): Promise<void> {
  const check = () => {
    if (changes.pending() > 0) throw new Error(`${changes.pending()} changes were not pushed`);
  };
  return eventually(check, { deadlineMs: 300_000, everyMs: 50 });
}

/** Events per second when every parcel changes at once, from the first answer to the last push. */
async function maxEvents({ changes, numbers }: Stage): Promise<number> {
  changes.take();
  for (const number of numbers) changes.change(number);
  await allPushed(changes);
  const made = changes.take();
  const first = Math.min(...made.map(({ answeredMs }) => answeredMs));
  const last = Math.max(...made.map(({ pushedMs }) => pushedMs));
  return made.length / ((last - first) / 1000);
}

/** The prefix of numbers whose parcels have been on their way for some days. */
function lotOf(days: number): string {
  return lotPrefix({ startsAt: new Date(Date.now() - days * 86_400_000), everySeconds: 0 });
}

/** Milliseconds from sending a registration to its first push. */
async function postsToPushes({ apiUrl, merchant, changes }: Stage, prefix: string): Promise<number[]> {
  const sent = new Map<string, number>();
  await atRate(REGISTRATIONS, SECONDS.registering, async (index) => {
    const number = `${prefix}${String(index).padStart(9, '0')}`;
    sent.set(number, performance.now());
    await call(apiUrl, merchant, '/trackings/create', { tracking_number: number, courier_code: 'sandbox' });
  });
  return eventually(
    () =>
      [...sent].map(([number, sentMs]) => {
        const pushedMs = changes.firstPushMs(number);
        if (pushedMs === undefined) throw new Error(`nothing was pushed about ${number}`);
        return pushedMs - sentMs;
      }),
    { deadlineMs: 300_000, everyMs: 200 },
  );
}

async function cpuDuring<T>({ usage }: Installation, work: () => Promise<T>) {
  const [before, startedAt] = [usage(), performance.now()];
  const result = await work();
  const after = usage();
  return { result, before, after, cpuMs: cpuBetween(before, after), ms: performance.now() - startedAt };
}
