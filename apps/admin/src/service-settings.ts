import { loadConfig } from '@pts/runtime/settings/config';
import { hasSandbox } from '@pts/service/accounts';
import type { ServiceContext } from '@pts/service/context';
import { providersIn } from './providers/environment.ts';

type ServiceSettings = Pick<
  ServiceContext,
  'providers' | 'sandbox' | 'monitoredSeconds' | 'idleSeconds' | 'safetyNetSeconds' | 'retentionDays'
>;

/** What the verbs of the API need of its settings, from an environment like that of the services. @throws ConfigError */
export function serviceSettings(env: NodeJS.ProcessEnv): ServiceSettings {
  const config = loadConfig(env, [
    'checkIntervalSeconds',
    'idleCheckIntervalSeconds',
    'callbackBaseUrl',
    'callbackSafetyNetSeconds',
    'webhookRetentionDays',
  ]);
  const providers = providersIn(env);
  return {
    providers,
    sandbox: hasSandbox(providers),
    monitoredSeconds: config.checkIntervalSeconds,
    idleSeconds: config.idleCheckIntervalSeconds,
    safetyNetSeconds: config.callbackBaseUrl === undefined ? null : config.callbackSafetyNetSeconds,
    retentionDays: config.webhookRetentionDays,
  };
}
