import { setTimeout as delay } from 'node:timers/promises';
import { openQueue, type QueueConnection, type Receiver } from '@pts/queue/connection';
import { createProducer, type Producer, receiveWakeUps } from '@pts/queue/wake';
import { startOwnClock } from '@pts/testing/clock';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Gate, type GateState, startGate } from '@pts/testing/network-faults';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import { Redis } from 'ioredis';
import pg from 'pg';

const SEED = 7;
const LANES = 10;
const OUTAGES_PER_LANE = 20;
const KINDS = ['shut', 'mute', 'half-open', 'cut'] as const;
/** How long a worker may take to resume after an outage, not counting delays of the machine. */
const RESUME_MS = 5000;

/** Numbers in [0, 1) that a seed repeats (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe.each(stores())('short outages of %s', (store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let near: TestQueue;
  let producer: Producer;
  const lost: unknown[] = [];
  const open: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    database = await testDatabase();
    near = await testQueue(store, database.url);
    producer = createProducer(near, (error) => lost.push(error));
  });
  afterAll(async () => {
    await Promise.all(open.map((close) => close()));
    await producer.close();
    await near.close();
    await database.close();
  });

  /** A process with one worker, which reaches the store through its own gate. */
  async function openLane(name: string) {
    const { redisUrl, databaseUrl, prefix } = near.options;
    const gate = redisUrl === undefined ? await startGate(databaseUrl, 5432) : await startGate(redisUrl, 6379);
    const behind = redisUrl === undefined ? { databaseUrl: gate.url } : { databaseUrl, redisUrl: gate.url };
    const seen = new Set<string>();
    let connection: QueueConnection | undefined;
    let receiver: Receiver | undefined;
    open.push(async () => {
      await receiver?.close();
      await connection?.close();
      await gate.close();
    });
    return {
      gate,
      seen,
      async start() {
        connection = await openQueue({ ...behind, prefix, onError: () => {} });
        const query = (job: object) => void ('ids' in job && seen.add(String(job.ids)));
        receiver = receiveWakeUps<'query'>(connection, `query-${name}`, { query }, () => {});
      },
      async stop() {
        await receiver?.close();
        await connection?.close();
      },
    };
  }
  type Lane = Awaited<ReturnType<typeof openLane>>;

  async function outage(gate: Gate, kind: (typeof KINDS)[number], ms: number) {
    if (kind === 'cut') return gate.cut();
    gate.set(kind satisfies GateState);
    await delay(ms);
    gate.set('open');
  }

  /** How long the machine takes now to open a connection that bypasses all outages. */
  async function connectionTakes(clock: { now(): number }) {
    const start = clock.now();
    const { redisUrl, databaseUrl } = near.options;
    if (redisUrl === undefined) {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      await client.end();
    } else {
      const client = new Redis(redisUrl);
      await client.ping();
      client.disconnect();
    }
    return clock.now() - start;
  }

  /** How long a job that is added now takes to be seen, by the clock. */
  async function jobTakes(name: string, lane: Lane, id: string, clock: { now(): number }) {
    const start = clock.now();
    await eventually(async () => expect(await producer.query(name, [{ ids: [id], accounts: ['a'] }])).toBe(true));
    await eventually(() => expect(lane.seen.has(id)).toBe(true), { everyMs: 10 });
    return clock.now() - start;
  }

  test(`${LANES * OUTAGES_PER_LANE} of them, from a worker's first millisecond on: it resumes within 5 s (seed ${SEED})`, async () => {
    const clock = startOwnClock();
    const control = await openLane('control');
    await control.start();
    const late: string[] = [];
    async function run(laneNumber: number): Promise<void> {
      const random = randomFrom(SEED + laneNumber);
      const name = `lane${laneNumber}`;
      const lane = await openLane(name);
      let isUp = false;
      for (let n = 0; n < OUTAGES_PER_LANE; n++) {
        const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'cut';
        const ms = 1 + Math.floor(random() * 500);
        if (isUp && random() < 0.3) {
          await lane.stop();
          isUp = false;
        }
        const startsAfterMs = random() * 60;
        const starting = isUp ? undefined : lane.start();
        if (starting) await delay(startsAfterMs);
        await Promise.all([outage(lane.gate, kind, ms), starting]);
        isUp = true;
        const [took, usual, connecting] = await Promise.all([
          jobTakes(name, lane, `${n}`, clock),
          jobTakes('control', control, `${laneNumber}.${n}`, clock),
          connectionTakes(clock),
        ]);
        const machine = usual + connecting;
        if (took > RESUME_MS + 3 * machine)
          late.push(
            `${kind} of ${ms} ms${starting ? ' at the start' : ''}: ${took.toFixed()} ms, the machine ${machine.toFixed()}`,
          );
      }
    }
    await Promise.all(Array.from({ length: LANES }, (_, i) => run(i)));
    clock.stop();
    expect(late).toEqual([]);
  }, 300_000);
});
