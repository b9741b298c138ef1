import { textIn } from '@pts/core/settings/setting';
import type { FurtherSettings } from './config.ts';

/** Adds the rule that CALLBACK_BASE_URL needs CALLBACK_SECRET. */
export function withCallbackFaults(further: FurtherSettings): FurtherSettings {
  const lacksSecret: FurtherSettings['faults'] = (env) =>
    textIn(env, 'CALLBACK_BASE_URL') !== undefined && textIn(env, 'CALLBACK_SECRET') === undefined
      ? ['CALLBACK_SECRET is missing: CALLBACK_BASE_URL needs it; generate one with: openssl rand -hex 32']
      : [];
  return { ...further, faults: (env) => [...further.faults(env), ...lacksSecret(env)] };
}
