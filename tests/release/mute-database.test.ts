import { setTimeout as delay } from 'node:timers/promises';
import { PROCESSES } from '@pts/testing/app-process';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Link, startLink } from '@pts/testing/link';
import { ownTimeOf } from '@pts/testing/own-clock';
import { type Receiver, startReceiver } from '@pts/testing/receiver';
import { expectDelivered } from '../support/main-job.ts';
import { merchantOf } from '../support/merchant.ts';
import { type Processes, startProcesses } from '../support/processes.ts';

/** Longer than any statement may take: a hanging one has failed by then, or hangs forever. */
const MUTE_MS = 12_000;

let database: TestDatabase;
let link: Link;
let receiver: Receiver;
let service: Processes;
beforeEach(async () => {
  database = await testDatabase();
  link = await startLink(database.url);
  receiver = await startReceiver();
  service = await startProcesses({
    databaseUrl: link.url,
    directUrl: database.url,
    env: { SANDBOX_SPEED: '2', SHUTDOWN_TIMEOUT_SECONDS: '60' },
  });
}, 120_000);
afterEach(async () => {
  await service.stop();
  await receiver.close();
  await link.close();
  await database.close();
});

test('a database that goes silent costs only time; processes stopped in that time end at once', async () => {
  const merchant = merchantOf(service);
  const secret = await merchant.subscribe(receiver.url);
  const numbers = Array.from({ length: 10 }, (_, i) => `SBXORDINARY${8100 + i}`);
  await Promise.all(numbers.map((number) => merchant.register(number)));
  // Claims, saves, deliveries and requests are all in flight.
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(5));
  const asking = Promise.all(
    numbers.map((number) => merchant.call('GET', `/trackings/get?tracking_numbers=${number}`)),
  );
  link.mute();
  const answers = await Promise.all([asking, delay(MUTE_MS)]);
  for (const { code } of answers[0]) expect([200, 503]).toContain(code);
  link.unmute();
  for (const number of numbers) await expectDelivered(service, receiver, { number, secret });

  await Promise.all([1, 2, 3].map((n) => merchant.register(`SBXORDINARY${8200 + n}`)));
  link.mute();
  await eventually(() => expect(link.hasLost()).toBe(true));
  const hanging = merchant.call('GET', '/account').catch(() => null);
  const stopped = await Promise.all(PROCESSES.map((app) => ownTimeOf(() => service.of(app).stop())));
  // A process that waits for its database would take the whole minute.
  for (const ms of stopped) expect(ms).toBeLessThan(30_000);
  await hanging;
}, 180_000);
