import createClient from 'openapi-fetch';
import type { components, paths } from './client/api.ts';
import { api, headers, play, push } from './harness.ts';

const client = createClient<paths>({ baseUrl: api, headers });

/** The data of an answer. @throws an Error if it is a refusal */
function dataOf<T>({ data, error }: { data?: { data: T }; error?: components['schemas']['ErrorEnvelope'] }): T {
  if (error) throw new Error(`${error.code}: ${error.data.docs_url}`);
  if (!data) throw new Error('no answer');
  return data.data;
}

function received(push: components['schemas']['Push']): string {
  if (push.event === 'account_notice') return push.data.notice.text;
  return push.event === 'ping' ? push.data.webhook_id : `${push.event} ${push.data.tracking_number}`;
}

await play(
  {
    register: async (tracking_number) =>
      dataOf(await client.POST('/trackings/create', { body: { tracking_number } })).id ?? '',
    dryRun: async (tracking_number) =>
      dataOf(await client.POST('/trackings/create', { body: { tracking_number, dry_run: true } })).would_charge,
    read: async (id) => dataOf(await client.GET('/trackings/{id}', { params: { path: { id } } })),
    list: async (q, cursor) =>
      dataOf(await client.GET('/shipments', { params: { query: { q, cursor, limit: 1, sort: 'created_at' } } })),
  },
  received(push),
);
