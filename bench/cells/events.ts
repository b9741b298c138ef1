import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { eventually } from '@pts/testing/eventually';
import { serve } from '@pts/testing/http-server';
import { verify } from '@pts/webhook-verifier/verify';
import type { Caller } from './calls.ts';

/** A receiver of the pushes of both cells, with the secret of each. */
export type Receiver = {
  /** Registers it in a cell. */
  addTo(call: Caller): Promise<void>;
  /** Waits for a push about each of these numbers. @returns the ids of all events. @throws if a push is not signed by a cell */
  idsOfPushes(numbers: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  const secrets: string[] = [];
  const refused: string[] = [];
  const bodies = new Map<string, string>();
  const server = await serve(async (request, response) => {
    const body = await text(request);
    const push = verify(request.headers, body, secrets);
    const known = push.ok && push.messageId !== null ? bodies.get(push.messageId) : undefined;
    if (!push.ok) refused.push(push.message);
    else if (known !== undefined && known !== body) refused.push(`two events have the id ${push.messageId}`);
    else if (push.messageId !== null) bodies.set(push.messageId, body);
    response.writeHead(push.ok ? 200 : push.status).end();
  });
  return {
    async addTo(call) {
      const { status, body } = await call('POST', '/webhooks', { url: server.url, events: ['tracking_update'] });
      assert.equal(status, 200);
      secrets.push(body.data.secret);
    },
    async idsOfPushes(numbers) {
      await eventually(() => {
        const pushed = new Set([...bodies.values()].map((body) => JSON.parse(body).data.tracking_number));
        assert.equal(numbers.filter((number) => !pushed.has(number)).length, 0);
      });
      assert.deepEqual(refused, []);
      return [...bodies.keys()];
    },
    close: server.close,
  };
}

/** The feeds of the cells, each read from its beginning with a cursor of its own, have these events. @throws if one is missing */
export async function expectInFeeds(calls: readonly Caller[], ids: readonly string[]): Promise<void> {
  const cursors = calls.map(() => '');
  const missing = new Set(ids);
  // An event is shown once all older transactions of its server have ended.
  await eventually(async () => {
    for (const [cell, call] of calls.entries())
      for (let hasMore = true; hasMore; ) {
        const after = cursors[cell] && `&after=${encodeURIComponent(cursors[cell])}`;
        const { body } = await call('GET', `/events?limit=200${after}`);
        for (const { id } of body.data.events as { id: string }[]) missing.delete(id);
        cursors[cell] = body.data.next_cursor;
        hasMore = body.data.has_more;
      }
    assert.deepEqual([...missing], []);
  });
}
