import {
  COMMON_SETTINGS,
  PROVIDER_SETTINGS,
  PUSH_SETTINGS,
  STORE_SETTINGS,
  WEBHOOK_SETTINGS,
} from '@pts/runtime/settings';

export const API_SETTINGS = [
  ...COMMON_SETTINGS,
  ...STORE_SETTINGS,
  ...PROVIDER_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...PUSH_SETTINGS,
  'preparedStatements',
  'host',
  'port',
  'publicBaseUrl',
  'trustProxy',
  'rateLimits',
  'databaseRequestTimeoutMs',
  'checkIntervalSeconds',
  'compat020',
  'compatV4',
  'idleCheckIntervalSeconds',
  'quotaFree',
  'quotaPro',
  'quotaEnterprise',
] as const;
