import { COMMON_SETTINGS, STORE_SETTINGS, WEBHOOK_SETTINGS } from '@pts/runtime/settings/settings';

export const DISPATCHER_SETTINGS = [
  ...COMMON_SETTINGS,
  ...STORE_SETTINGS,
  ...WEBHOOK_SETTINGS,
  'webhookConcurrency',
  'retryTimeScale',
  'sweepIntervalMs',
] as const;
