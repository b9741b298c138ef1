import { randomBytes } from 'node:crypto';
import { newSecret } from '@pts/core/webhook/push';
import { openDatabase } from '@pts/db/connection';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { createSecretCipher } from '@pts/runtime/encryption/keyring';
import { createLogger } from '@pts/runtime/logger';
import { startClockLoop } from '@pts/runtime/process/clock';
import { loadConfig } from '@pts/runtime/settings/config';
import { DISPATCHER_SETTINGS } from '@pts/runtime/settings/settings';
import { skewDate } from '@pts/testing/clock';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { startReceiver } from '@pts/testing/http-server';
import { createDispatcherMetrics } from './metrics.ts';
import { openDispatcher } from './work.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  "a dispatcher whose machine's clock is an hour %s sends nothing until that is right again",
  async (_where, skewMs) => {
    const database = await testDatabase();
    const db = openDatabase({ url: database.url, poolSize: 2, ...PATIENT });
    const receiver = await startReceiver({ respond: () => ({ status: 200 }) });
    const encryptionKey = randomBytes(32).toString('base64');
    const accountId = await newAccount(db, new Date());
    const encryptedSecret = createSecretCipher(encryptionKey).encrypt(newSecret(randomBytes(32)));
    await newWebhook(db, accountId, new Date(), { url: receiver.url, encryptedSecret });
    const env = {
      DATABASE_URL: database.url,
      MANAGEMENT_PORT: '0',
      NODE_ENV: 'test',
      TUNING: 'sweepIntervalMs=50',
      ENCRYPTION_KEY: encryptionKey,
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_TARGETS: '127.0.0.1',
    };
    const logger = createLogger({ app: 'test', level: 'silent', format: 'json' });
    const work = await openDispatcher(loadConfig(env, DISPATCHER_SETTINGS), logger, createDispatcherMetrics());
    await work.clock.sync();
    work.begin();
    const putRight = skewDate(skewMs);
    const skews: number[] = [];
    const loop = startClockLoop(work.clock, logger, { set: (seconds: number) => skews.push(seconds) } as never);
    const queue = await openQueue({ databaseUrl: database.url, prefix: 'unused', onError: () => {} });
    const producer = createProducer(queue, () => {});
    try {
      const [{ now }] = await db.$queryRaw<[{ now: Date }]>`SELECT now()`;
      await producer.deliver(await newDeliveries(db, accountId, now));
      // Two readings of the clock are as long as many sweeps.
      await eventually(() => expect(skews.length).toBeGreaterThan(1));
      expect(receiver.requests).toEqual([]);
      putRight();
      await eventually(() => expect(receiver.requests).toHaveLength(1));
    } finally {
      putRight();
      await producer.close();
      await queue.close();
      await loop.stop();
      await work.stop();
      await receiver.close();
      await db.$disconnect();
      await database.close();
    }
  },
  60_000,
);
