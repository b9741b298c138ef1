import { randomBytes } from 'node:crypto';
import { loadConfig } from '@pts/runtime/config';
import { createLogger } from '@pts/runtime/logger';
import { createSecretCipher } from '@pts/runtime/secret-cipher';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newTrackings } from '@pts/testing/factories';
import { skewDate } from '@pts/testing/skewed-date';
import { POLLER_SETTINGS } from './config.ts';
import { createPollerMetrics } from './metrics.ts';
import { configuredAs, openPollerTest, scriptedProvider } from './test-poller.ts';
import { openPoller } from './work.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  "a poller whose machine is an hour %s checks at the database's times, and says so once",
  async (_where, skewMs) => {
    const world = await openPollerTest('postgres');
    const encryptionKey = randomBytes(32).toString('base64');
    await world.db.installation.create({ data: { keyCheck: createSecretCipher(encryptionKey).encrypt('checked') } });
    const accountId = await world.account(['tracking_update']);
    const putRight = skewDate(skewMs);
    const lines: string[] = [];
    const logger = createLogger({ app: 'test', level: 'warn', format: 'json', write: (line) => lines.push(line) });
    const env = {
      DATABASE_URL: world.databaseUrl,
      ENCRYPTION_KEY: encryptionKey,
      MANAGEMENT_PORT: '0',
      SWEEP_INTERVAL_MS: '50',
    };
    const provider = scriptedProvider(() => ({ kind: 'not_found' }));
    const work = await openPoller(
      loadConfig(env, POLLER_SETTINGS),
      configuredAs(provider),
      logger,
      createPollerMetrics(),
    );
    try {
      expect(await work.refusal?.()).toBeNull();
      work.begin();
      const [{ now }] = await world.db.$queryRaw<[{ now: Date }]>`SELECT now()`;
      const numbers = Array.from({ length: 20 }, freshNumber);
      await newTrackings(world.db, accountId, numbers, now);
      await eventually(() => expect(provider.calls.flat().sort()).toEqual(numbers.sort()));
      // Stored answers have a regular time: 300 seconds, give or take 10 %.
      await eventually(async () => {
        const [row] = await world.db.$queryRaw<[{ least: number; most: number }]>`
        SELECT min(extract(epoch FROM next_check_at - now()))::float8 AS least,
          max(extract(epoch FROM next_check_at - now()))::float8 AS most FROM checks`;
        expect(row.least).toBeGreaterThan(200);
        expect(row.most).toBeLessThan(340);
      });
      expect(lines.filter((line) => line.includes('clock is wrong'))).toHaveLength(1);
    } finally {
      await work.stop();
      putRight();
      await world.close();
    }
  },
  60_000,
);
