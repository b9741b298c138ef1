import { setConfig } from '@kubb/plugin-client/clients/fetch';
import { createTracking, type ErrorEnvelope, getTracking, listShipments, type Push } from './client/index.ts';
import { api, headers, play, push } from './harness.ts';

// Kubb's own client sends no Content-Type.
setConfig({ baseURL: api, headers: { ...headers, 'Content-Type': 'application/json' } });

/** The data of an answer. @throws an Error if it is a refusal: Kubb's own client returns both alike */
function dataOf<T>(answer: { code: number; data: T }): T {
  if (answer.code === 200) return answer.data;
  throw new Error(`${answer.code}: ${(answer as unknown as ErrorEnvelope).data.docs_url}`);
}

function received(push: Push): string {
  if (push.event === 'account_notice') return push.data.notice.text;
  return push.event === 'ping' ? push.data.webhook_id : `${push.event} ${push.data.tracking_number}`;
}

await play(
  {
    register: async (tracking_number) => dataOf(await createTracking({ tracking_number })).id ?? '',
    dryRun: async (tracking_number) => dataOf(await createTracking({ tracking_number, dry_run: true })).would_charge,
    read: async (id) => dataOf(await getTracking(id)),
    list: async (q, cursor) => dataOf(await listShipments({ q, cursor, limit: 1, sort: 'created_at' })),
  },
  received(push),
);
