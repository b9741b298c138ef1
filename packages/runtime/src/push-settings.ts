import { textIn } from '@pts/core/settings/setting';
import type { FurtherSettings } from './config.ts';

/** Adds the rule that PUSH_BASE_URL needs PUSH_SECRET. */
export function withPushFaults(further: FurtherSettings): FurtherSettings {
  const lacksSecret: FurtherSettings['faults'] = (env) =>
    textIn(env, 'PUSH_BASE_URL') !== undefined && textIn(env, 'PUSH_SECRET') === undefined
      ? ['PUSH_SECRET is missing: PUSH_BASE_URL needs it; generate one with: openssl rand -hex 32']
      : [];
  return { ...further, faults: (env) => [...further.faults(env), ...lacksSecret(env)] };
}
