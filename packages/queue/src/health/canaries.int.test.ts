import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { CANARY_ID } from '../catalog.ts';
import { openQueue, type QueueConnection } from '../connection.ts';
import { pauseQueue, resumeQueue } from '../operate.ts';
import { type Canaries, createCanaries } from './canaries.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let near: TestQueue;
let gate: Gate;
let connection: QueueConnection;
let canaries: Canaries;
/** How often the store has answered the worker. */
let answers = 0;
/** What the canaries take for the time: it stands still. */
const NOW = new Date();
/** How long a call may take where the queue is going to be unreachable. */
const SHORT_MS = 1000;
const lines: unknown[] = [];
const shown: Record<string, number> = {};
beforeEach(async () => {
  answers = 0;
  lines.length = 0;
  database = await testDatabase();
  near = await testQueue('redis', database.url);
  gate = await startGate(near.options.redisUrl ?? '', 6379);
});
/** @param patienceMs a pause of Redis, on a busy machine, must not look like an outage, unless a test has one. */
async function open(patienceMs = 60_000): Promise<void> {
  connection = await openQueue({ ...near.options, redisUrl: gate.url, patienceMs, onError: () => {} });
  const log = (level: string) => (fields: object, text: string) => void lines.push([level, text, fields]);
  const gauge = (name: string) => ({
    set: (_labels: object, value: number) => void Object.assign(shown, { [name]: value }),
    remove: () => void delete shown[name],
  });
  canaries = createCanaries({
    connection,
    workers: { 'query-x': { answers: () => answers, onCanary: () => {} } },
    logger: { warn: log('warn'), info: log('info') },
    metrics: {
      canaryAgeSeconds: gauge('age'),
      canaryLatencySeconds: gauge('latency'),
      queueUnreachable: gauge('unreachable'),
      queueDepth: gauge('depth'),
      queueOldestSeconds: gauge('oldest'),
    },
    now: () => NOW,
  });
}
afterEach(async () => {
  gate.set('open');
  await canaries.close();
  await connection.close();
  await gate.close();
  await near.close();
  await database.close();
});

async function rounds(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await canaries.round();
}
/** Takes the canary, like another process. */
async function takeCanary(): Promise<void> {
  const queue = near.queue('query-x');
  await queue.remove(CANARY_ID);
  await queue.close();
}

test('a stuck worker causes one line and a restart request, until it works again', async () => {
  await open();
  await rounds(6);
  expect(lines).toEqual([
    [
      'warn',
      expect.stringContaining('takes no jobs'),
      { queue: 'query-x', state: 'stuck', seconds: expect.any(Number) },
    ],
  ]);
  expect(canaries.details()).toEqual({ 'query-x': expect.stringMatching(/takes no jobs from its queue.*, for \d+ s/) });
  expect([canaries.isLive(), shown.unreachable]).toEqual([true, 0]);
  await rounds(3);
  expect(canaries.isLive()).toBe(false);
  answers += 1;
  await takeCanary();
  await rounds(1);
  expect(lines.slice(1)).toEqual([['info', 'work flows through the queue again', { queue: 'query-x' }]]);
  expect([canaries.details(), canaries.isLive()]).toEqual([{ 'query-x': 'healthy' }, true]);
});

test('a canary that no worker takes although this one requests jobs causes one line and no restart', async () => {
  await open();
  for (let n = 0; n < 12; n++) {
    answers += 1;
    await rounds(1);
  }
  expect(lines).toEqual([['warn', 'no process takes the jobs of this queue', expect.anything()]]);
  expect(canaries.isLive()).toBe(true);
});

test('a paused queue is named as such', async () => {
  await open();
  await pauseQueue(connection, 'query-x');
  await rounds(1);
  expect(canaries.details()).toEqual({ 'query-x': expect.stringMatching(/^this queue is paused: .*resume query-x/) });
  await resumeQueue(connection, 'query-x');
  await rounds(1);
  expect(canaries.details()).toEqual({ 'query-x': 'starting' });
});

test('the queue shows how many jobs wait and for how long, without the canary, until it does not answer', async () => {
  await open(SHORT_MS);
  await eventually(async () => {
    await rounds(2);
    expect([shown.depth, shown.oldest]).toEqual([0, 0]);
  });
  const queue = near.queue('query-x');
  const addedAt = (seconds: number) => ({ timestamp: NOW.getTime() - seconds * 1000 });
  await queue.add('query', { ids: ['1'], accounts: ['a'] }, { ...addedAt(20), priority: 1 });
  await queue.add('query', { ids: ['2'], accounts: ['a'] }, addedAt(40));
  await queue.add('query', { ids: ['3'], accounts: ['a'] }, addedAt(10));
  await queue.close();
  await eventually(async () => {
    await rounds(1);
    expect([shown.depth, shown.oldest]).toEqual([3, 40]);
  });
  gate.set('mute');
  await rounds(1);
  expect([shown.depth, shown.oldest]).toEqual([undefined, undefined]);
});

test('a queue that is unreachable is shown as such, without a line or an age', async () => {
  await open(SHORT_MS);
  await eventually(async () => {
    await rounds(1);
    expect(shown.age).toBeGreaterThanOrEqual(0);
  });
  gate.set('mute');
  await rounds(12);
  expect(lines).toEqual([]);
  expect([shown.unreachable, shown.age, canaries.isLive()]).toEqual([1, undefined, true]);
  expect(canaries.details()).toEqual({
    'query-x': expect.stringMatching(/^Redis 127\.0\.0\.1:\d+ is unreachable: the sweeps start the work$/),
  });
});
