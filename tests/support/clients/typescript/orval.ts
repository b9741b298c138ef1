import { createTracking, type ErrorEnvelope, getTracking, listShipments, type Push } from './client/api.ts';
import { api, headers, play, push } from './harness.ts';

// Its paths are relative without an address in its configuration.
const { fetch } = globalThis;
globalThis.fetch = (path, init) => fetch(`${api}${path}`, init);

type Success<A> = Extract<A, { status: 200 }> extends { data: { data: infer T } } ? T : never;

/** The data of an answer. @throws an Error if it is a refusal */
function dataOf<A extends { status: number; data: unknown }>(answer: A): Success<A> {
  if (answer.status === 200) return (answer.data as { data: Success<A> }).data;
  const { code, data } = answer.data as ErrorEnvelope;
  throw new Error(`${code}: ${data.docs_url}`);
}

function received(push: Push): string {
  if (push.event === 'account_notice') return push.data.notice.text;
  return push.event === 'ping' ? push.data.webhook_id : `${push.event} ${push.data.tracking_number}`;
}

await play(
  {
    register: async (tracking_number) => dataOf(await createTracking({ tracking_number }, { headers })).id ?? '',
    dryRun: async (tracking_number) =>
      dataOf(await createTracking({ tracking_number, dry_run: true }, { headers })).would_charge,
    read: async (id) => dataOf(await getTracking(id, undefined, { headers })),
    list: async (q, cursor) => dataOf(await listShipments({ q, cursor, limit: 1, sort: 'created_at' }, { headers })),
  },
  received(push),
);
