import { LIMITS, parseLimitChange } from '@pts/contract/limits';
import { PLANS } from '@pts/core/account';
import { readList, textIn } from '@pts/core/settings';
import type { FurtherSettings } from '@pts/runtime/settings/config';

/** Adds the check of RATE_LIMITS: the contract has the names of the limits. */
export function withLimitFaults(further: FurtherSettings): FurtherSettings {
  const own: FurtherSettings['faults'] = (env) => {
    const changes = readList(textIn(env, 'RATE_LIMITS') ?? '');
    const wrong = changes.includes('off') ? undefined : changes.find((change) => parseLimitChange(change) === null);
    return wrong === undefined
      ? []
      : [
          `RATE_LIMITS has "${wrong}", which is neither endpoint=number nor plan:endpoint=number; plans are ${PLANS.join(', ')}; endpoints are ${Object.keys(LIMITS).join(', ')}`,
        ];
  };
  return { ...further, faults: (env) => [...further.faults(env), ...own(env)] };
}
