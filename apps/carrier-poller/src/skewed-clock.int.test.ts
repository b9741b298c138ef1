import { randomBytes } from 'node:crypto';
import { createLogger } from '@pts/runtime/logger';
import { startClockLoop } from '@pts/runtime/process/clock';
import { loadConfig } from '@pts/runtime/settings/config';
import { POLLER_SETTINGS } from '@pts/runtime/settings/settings';
import { skewDate } from '@pts/testing/clock';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newTrackings } from '@pts/testing/factories';
import { createPollerMetrics } from './metrics.ts';
import { openPoller } from './poller.ts';
import { configuredAs, openPollerTest, scriptedProvider } from './testing/test-poller.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  "a poller whose machine's clock is an hour %s makes no calls until that is right again, and says so once",
  async (_where, skewMs) => {
    const world = await openPollerTest('postgres');
    const encryptionKey = randomBytes(32).toString('base64');
    const accountId = await world.account(['tracking_update']);
    const lines: string[] = [];
    const logger = createLogger({ app: 'test', level: 'info', format: 'json', write: (line) => lines.push(line) });
    const env = {
      DATABASE_URL: world.databaseUrl,
      ENCRYPTION_KEY: encryptionKey,
      MANAGEMENT_PORT: '0',
      NODE_ENV: 'test',
      TUNING: 'sweepIntervalMs=50',
    };
    const provider = scriptedProvider(() => ({ kind: 'not_found' }));
    const work = await openPoller(
      loadConfig(env, POLLER_SETTINGS),
      configuredAs(provider),
      logger,
      createPollerMetrics(),
    );
    await work.clock.sync();
    work.begin();
    const putRight = skewDate(skewMs);
    const skews: number[] = [];
    const loop = startClockLoop(work.clock, logger, { set: (seconds: number) => skews.push(seconds) } as never);
    try {
      const [{ now }] = await world.db.$queryRaw<[{ now: Date }]>`SELECT now()`;
      const numbers = Array.from({ length: 20 }, freshNumber);
      await newTrackings(world.db, accountId, numbers, now);
      // Two readings of the clock are as long as many sweeps.
      await eventually(() => expect(skews).toHaveLength(2));
      expect(provider.calls).toEqual([]);
      putRight();
      await eventually(() => expect(provider.calls.flat().sort()).toEqual(numbers.sort()));
      await eventually(() => expect(lines.join()).toContain('the clock is correct again, and the process takes work'));
      expect(lines.filter((line) => line.includes("PostgreSQL's, so the process takes no work"))).toHaveLength(1);
    } finally {
      putRight();
      await loop.stop();
      await work.stop();
      await world.close();
    }
  },
  60_000,
);
