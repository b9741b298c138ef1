import { client } from './client/client.gen.ts';
import { createTracking, type ErrorEnvelope, getTracking, listShipments, type Push } from './client/index.ts';
import { api, headers, play, push } from './harness.ts';

client.setConfig({ baseUrl: api, headers });

/** The data of an answer. @throws an Error if it is a refusal */
function dataOf<T>({ data, error }: { data?: { data: T } | undefined; error?: ErrorEnvelope | undefined }): T {
  if (error) throw new Error(`${error.code}: ${error.data.docs_url}`);
  if (!data) throw new Error('no answer');
  return data.data;
}

function received(push: Push): string {
  if (push.event === 'account_notice') return push.data.notice.text;
  return push.event === 'ping' ? push.data.webhook_id : `${push.event} ${push.data.tracking_number}`;
}

await play(
  {
    register: async (tracking_number) => dataOf(await createTracking({ body: { tracking_number } })).id ?? '',
    dryRun: async (tracking_number) =>
      dataOf(await createTracking({ body: { tracking_number, dry_run: true } })).would_charge,
    read: async (id) => dataOf(await getTracking({ path: { id } })),
    list: async (q, cursor) => dataOf(await listShipments({ query: { q, cursor, limit: 1, sort: 'created_at' } })),
  },
  received(push),
);
