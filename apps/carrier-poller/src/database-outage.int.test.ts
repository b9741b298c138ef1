import { randomBytes } from 'node:crypto';
import type { Logger } from '@pts/runtime/logger';
import { loadConfig } from '@pts/runtime/settings/config';
import { POLLER_SETTINGS } from '@pts/runtime/settings/settings';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startRelay } from '@pts/testing/relay';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { createPollerMetrics } from './metrics.ts';
import { configuredAs, found, scriptedProvider } from './testing/test-poller.ts';
import { openPoller } from './work.ts';

test.each(stores())(
  'with the store %s, an outage of PostgreSQL is one line in the log, and no fault of a job, however much fails',
  async (store) => {
    const database = await testDatabase();
    const relay = await startRelay(database.url);
    const lines: string[] = [];
    const write = (_fields: unknown, text?: string) => void lines.push(String(text));
    const logger = { error: write, warn: () => {}, info: () => {}, debug: () => {} } as unknown as Logger;
    const env = {
      DATABASE_URL: relay.url,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      REDIS_URL: redisUrlOn(store),
      QUEUE_PREFIX: `{${randomBytes(4).toString('hex')}}`,
      MANAGEMENT_PORT: '0',
      NODE_ENV: 'test',
      TUNING: 'sweepIntervalMs=50',
    };
    const metrics = createPollerMetrics();
    const providers = configuredAs(scriptedProvider(() => found()));
    const work = await openPoller(loadConfig(env, POLLER_SETTINGS), providers, logger, metrics);
    const sum = async (metric: { get(): Promise<{ values: { value: number }[] }> }) =>
      (await metric.get()).values.reduce((total, { value }) => total + value, 0);
    try {
      await eventually(() => work.refusal?.());
      work.begin();
      await eventually(async () =>
        expect(await metrics.registry.metrics()).toContain('pts_provider_paused{provider="scripted"'),
      );
      const atStart = await metrics.registry.metrics();
      expect(atStart).toContain('pts_job_faults_total{job="query",app="carrier-poller"} 0');
      expect(atStart).toContain('pts_answers_total{provider="scripted",kind="auth",app="carrier-poller"} 0');
      await relay.cut();
      await eventually(async () => expect(await sum(metrics.databaseFaults)).toBeGreaterThan(20));
      expect(lines).toEqual(['the database is unavailable']);
      expect(await sum(metrics.jobFaults)).toBe(0);
    } finally {
      await relay.restore();
      await work.stop();
      await relay.close();
      await database.close();
    }
  },
);
