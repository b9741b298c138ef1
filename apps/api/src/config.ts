import { readList, textIn } from '@pts/core/settings/setting';
import type { FurtherSettings } from '@pts/runtime/settings/config';
import {
  CALLBACK_SETTINGS,
  COMMON_SETTINGS,
  PROVIDER_SETTINGS,
  STORE_SETTINGS,
  WEBHOOK_SETTINGS,
} from '@pts/runtime/settings/settings';
import { limitsFault } from './http/limits/limits.ts';
import { trustProxyFault } from './http/trust-proxy.ts';

export const API_SETTINGS = [
  ...COMMON_SETTINGS,
  ...STORE_SETTINGS,
  ...PROVIDER_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...CALLBACK_SETTINGS,
  'preparedStatements',
  'host',
  'port',
  'publicBaseUrl',
  'trustProxy',
  'rateLimits',
  'databaseRequestTimeoutMs',
  'checkIntervalSeconds',
  'databaseReplicaUrl',
  'redisLimitsUrl',
  'compat020',
  'compatV4',
  'idleCheckIntervalSeconds',
  'quotaFree',
  'quotaPro',
  'quotaEnterprise',
] as const;

/** Adds the checks of what only the API knows: the names of its limits, and the proxies that Express can trust. */
export function withApiFaults(further: FurtherSettings): FurtherSettings {
  const own: FurtherSettings['faults'] = (env) => {
    const [limits = '', proxies = '0'] = [textIn(env, 'RATE_LIMITS'), textIn(env, 'TRUST_PROXY')];
    const [ofLimits, ofProxies] = [limitsFault(readList(limits)), trustProxyFault(proxies)];
    return [
      ...(ofLimits === null ? [] : [`RATE_LIMITS ${ofLimits}`]),
      ...(ofProxies === null ? [] : [`TRUST_PROXY ${ofProxies}`]),
    ];
  };
  return { ...further, faults: (env) => [...further.faults(env), ...own(env)] };
}
