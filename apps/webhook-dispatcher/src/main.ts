import { openReadiness } from '@pts/db/readiness';
import { queueRequirements } from '@pts/queue/postgres/schema';
import { createLogger } from '@pts/runtime/logger';
import { boot, runProcess } from '@pts/runtime/process/boot';
import { loadConfig, misspelled } from '@pts/runtime/settings/config';
import { DISPATCHER_SETTINGS } from '@pts/runtime/settings/settings';
import { createDispatcherMetrics } from './process/metrics.ts';
import { openDispatcher } from './process/work.ts';

await boot('webhook-dispatcher', process.env, async () => {
  const config = loadConfig(process.env, DISPATCHER_SETTINGS);
  const logger = createLogger({ app: 'webhook-dispatcher', level: config.logLevel, format: config.logFormat });
  const metrics = createDispatcherMetrics();
  const needs = openReadiness({ ...config, requirements: queueRequirements(config) });
  const open = () => openDispatcher(config, logger, metrics);
  const about = { app: 'webhook-dispatcher', misspelled: misspelled(process.env) };
  await runProcess({ ...about, config, logger, registry: metrics.registry, needs, open });
});
