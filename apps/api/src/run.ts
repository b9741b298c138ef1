import { callbackReceivers, knownProviders, providerSettings } from '@pts/carriers/providers/configured';
import { openReadiness } from '@pts/db/readiness';
import { queueRequirements } from '@pts/queue/postgres/schema';
import { createLogger } from '@pts/runtime/logger';
import { runProcess } from '@pts/runtime/process/boot';
import { loadConfig, misspelled } from '@pts/runtime/settings/config';
import { API_SETTINGS } from '@pts/runtime/settings/settings';
import { withLimitFaults } from '@pts/service/process';
import { createApiMetrics } from './metrics.ts';
import { openApi } from './serve.ts';

/** Runs the API until it is stopped. @throws ConfigError if the environment is invalid. */
export async function runApi(env: NodeJS.ProcessEnv): Promise<void> {
  const further = withLimitFaults(providerSettings({ connects: false }));
  const config = loadConfig(env, API_SETTINGS, further);
  const providers = knownProviders(env);
  const receivers = callbackReceivers(env, config.callbackSecret);
  const logger = createLogger({ app: 'api', level: config.logLevel, format: config.logFormat });
  const metrics = createApiMetrics();
  const needs = openReadiness({ ...config, requirements: queueRequirements(config) });
  const open = () => openApi(config, { providers, callbackReceivers: receivers }, logger, metrics);
  const { registry } = metrics;
  await runProcess({
    app: 'api',
    config,
    misspelled: misspelled(env, providerSettings({ connects: true })),
    logger,
    registry,
    needs,
    open,
  });
}
