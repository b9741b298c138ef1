import { randomBytes } from 'node:crypto';
import { createLogger } from '@pts/runtime/logger';
import { loadConfig } from '@pts/runtime/settings/config';
import { POLLER_SETTINGS } from '@pts/runtime/settings/settings';
import { ownTimeOf } from '@pts/testing/clock';
import { eventually } from '@pts/testing/eventually';
import { type OwnPostgres, startOwnPostgres } from '@pts/testing/servers/postgres';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { createPollerMetrics } from './metrics.ts';
import { configuredAs, found, scriptedProvider } from './testing/test-poller.ts';
import { openPoller } from './work.ts';

/** Ten seconds and a margin. */
const MAX_MS = 15_000;

let server: OwnPostgres;
beforeEach(async () => {
  server = await startOwnPostgres();
}, 60_000);
afterEach(() => server.close(), 60_000);

test.each(stores())(
  'with the store %s, a poller stops in time while PostgreSQL answers nothing',
  async (store) => {
    const logger = createLogger({ app: 'test', level: 'silent', format: 'json' });
    const env = {
      DATABASE_URL: server.url,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      REDIS_URL: redisUrlOn(store),
      MANAGEMENT_PORT: '0',
      NODE_ENV: 'test',
      TUNING: 'sweepIntervalMs=50',
    };
    const metrics = createPollerMetrics();
    const providers = configuredAs(scriptedProvider(() => found()));
    const work = await openPoller(loadConfig(env, POLLER_SETTINGS), providers, logger, metrics);
    await eventually(() => work.refusal?.());
    work.begin();
    await eventually(async () =>
      expect(await metrics.registry.metrics()).toContain('pts_provider_paused{provider="scripted"'),
    );
    await server.freeze();
    expect(await ownTimeOf(() => work.stop())).toBeLessThan(MAX_MS);
  },
  90_000,
);
