import { openReadiness } from '@pts/db/readiness';
import { queueRequirements } from '@pts/queue/schema';
import { runProcess } from '@pts/runtime/boot';
import { loadConfig } from '@pts/runtime/config';
import { createLogger } from '@pts/runtime/logger';
import { boot } from '@pts/runtime/shutdown';
import { API_SETTINGS } from './config.ts';
import { createApiMetrics } from './metrics.ts';
import { openApi } from './start.ts';

await boot(async () => {
  const config = loadConfig(process.env, API_SETTINGS);
  const logger = createLogger({ app: 'api', level: config.logLevel, format: config.logFormat });
  const metrics = createApiMetrics();
  const needs = openReadiness({ ...config, requirements: queueRequirements(config) });
  const open = () => openApi(config, logger, metrics);
  await runProcess({ config, logger, registry: metrics.registry, needs, open });
});
