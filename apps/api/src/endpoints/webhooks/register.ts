import { registerWebhook as contract } from '@pts/contract/operations/webhooks/webhooks';
import type { Fault } from '@pts/core/errors';
import { registerWebhook as register, urlFaults } from '@pts/service/webhooks';
import { operation } from '../../http/operation.ts';
import { viewRegistered } from './view.ts';

/** POST /webhooks */
export const registerWebhook = operation(contract, {
  faults: (deps, input) => [...urlFaults(deps, input), ...disabledFaults(input)],
  async run(deps, { account }, { url, events, supersede }) {
    return viewRegistered(await register(deps, { accountId: account.id, url, events, supersede }));
  },
});

/** Of a webhook that is not to get pushes yet: it would get them at once. */
function disabledFaults({ enabled }: Record<string, unknown>): Fault[] {
  if (enabled !== false) return [];
  const message = 'must be true or left out: a new webhook is enabled; PATCH /api/v1/webhooks/{id} disables it';
  return [{ field: 'enabled', message, error: 'invalid_field' }];
}
