import { connectedProviders, providerSettings, providersOff } from '@pts/carriers/providers/configured';
import type { ProviderContext } from '@pts/carriers/providers/manifest';
import { openReadiness } from '@pts/db/readiness';
import { queueRequirements } from '@pts/queue/postgres/schema';
import { createLogger } from '@pts/runtime/logger';
import { boot, runProcess } from '@pts/runtime/process/boot';
import { loadConfig, misspelled } from '@pts/runtime/settings/config';
import { POLLER_SETTINGS } from '@pts/runtime/settings/settings';
import { createPollerMetrics } from './metrics.ts';
import { openPoller } from './work.ts';

await boot('carrier-poller', process.env, async () => {
  const further = providerSettings({ connects: true });
  const config = loadConfig(process.env, POLLER_SETTINGS, further);
  const logger = createLogger({ app: 'carrier-poller', level: config.logLevel, format: config.logFormat });
  const metrics = createPollerMetrics();
  const needs = openReadiness({ ...config, requirements: queueRequirements(config) });
  const providers = {
    connect: (context: ProviderContext) => connectedProviders(process.env, context),
    off: providersOff(process.env),
  };
  const open = () => openPoller(config, providers, logger, metrics);
  const about = { app: 'carrier-poller', misspelled: misspelled(process.env, further) };
  await runProcess({ ...about, config, logger, registry: metrics.registry, needs, open });
});
