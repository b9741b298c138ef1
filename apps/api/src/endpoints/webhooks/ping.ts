import { testWebhook as contract } from '@pts/contract/operations/webhooks/webhook-tests';
import { pingWebhook } from '@pts/service/webhooks/ping';
import { operation } from '../../http/operation.ts';

/** POST /webhooks/test */
export const testWebhook = operation(contract, {
  async run(deps, { account }, { id }) {
    const { status, durationMs, error } = await pingWebhook(deps, { account, id });
    return {
      reachable: status !== null,
      http_status: status ?? 0,
      response_ms: durationMs,
      ...(error === null ? {} : { error }),
    };
  },
});
