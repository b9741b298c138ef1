import { randomBytes } from 'node:crypto';
import { newSecret } from '@pts/core/webhook/signature';
import { openDatabase } from '@pts/db/connection/client';
import { loadConfig } from '@pts/runtime/config';
import { createLogger } from '@pts/runtime/logger';
import { createSecretCipher } from '@pts/runtime/secret-cipher';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { startReceiver } from '@pts/testing/receiver';
import { skewDate } from '@pts/testing/skewed-date';
import { DISPATCHER_SETTINGS } from './config.ts';
import { createDispatcherMetrics } from './metrics.ts';
import { openDispatcher } from './work.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  "a dispatcher whose machine is an hour %s retries at the database's times",
  async (_where, skewMs) => {
    const database = await testDatabase();
    const db = openDatabase({ url: database.url, poolSize: 2 });
    const receiver = await startReceiver({ respond: () => ({ status: 500 }) });
    const encryptionKey = randomBytes(32).toString('base64');
    const accountId = await newAccount(db, new Date());
    const encryptedSecret = createSecretCipher(encryptionKey).encrypt(newSecret(randomBytes(32)));
    await newWebhook(db, accountId, new Date(), { url: receiver.url, encryptedSecret });
    const putRight = skewDate(skewMs);
    const env = {
      DATABASE_URL: database.url,
      MANAGEMENT_PORT: '0',
      SWEEP_INTERVAL_MS: '50',
      ENCRYPTION_KEY: encryptionKey,
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_TARGETS: '127.0.0.1',
    };
    const logger = createLogger({ app: 'test', level: 'silent', format: 'json' });
    const work = await openDispatcher(loadConfig(env, DISPATCHER_SETTINGS), logger, createDispatcherMetrics());
    try {
      await work.refusal?.();
      work.begin();
      const [{ now }] = await db.$queryRaw<[{ now: Date }]>`SELECT now()`;
      await newDeliveries(db, accountId, now);
      // Attempt 2 is due 30 seconds after attempt 1.
      await eventually(async () => {
        const rows = await db.$queryRaw<{ seconds: number; age: number }[]>`
        SELECT extract(epoch FROM next_attempt_at - now())::float8 AS seconds,
          extract(epoch FROM now() - started_at)::float8 AS age FROM delivery_attempts`;
        expect(rows).toHaveLength(1);
        expect(rows[0]?.seconds).toBeLessThan(31);
        expect(rows[0]?.seconds).toBeGreaterThan(-600);
        expect(rows[0]?.age).toBeLessThan(600);
      });
    } finally {
      await work.stop();
      putRight();
      await receiver.close();
      await db.$disconnect();
      await database.close();
    }
  },
  60_000,
);
