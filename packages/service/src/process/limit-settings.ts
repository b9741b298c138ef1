import { LIMITS } from '@pts/contract/limits';
import { readList, textIn } from '@pts/core/settings/setting';
import type { FurtherSettings } from '@pts/runtime/settings/config';

/** Adds the check of RATE_LIMITS: the contract has the names of the limits. */
export function withLimitFaults(further: FurtherSettings): FurtherSettings {
  const own: FurtherSettings['faults'] = (env) => {
    const changes = readList(textIn(env, 'RATE_LIMITS') ?? '');
    const wrong = changes.includes('off') ? undefined : changes.find((change) => !isChange(change));
    return wrong === undefined
      ? []
      : [`RATE_LIMITS has "${wrong}", which is not endpoint=number; endpoints are ${Object.keys(LIMITS).join(', ')}`];
  };
  return { ...further, faults: (env) => [...further.faults(env), ...own(env)] };
}

function isChange(change: string): boolean {
  const [name = '', points = ''] = change.split('=');
  return Object.hasOwn(LIMITS, name) && /^\d+$/.test(points);
}
