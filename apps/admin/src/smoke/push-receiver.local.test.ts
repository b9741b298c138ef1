import { newSecret, pingBody, pushHeaders } from '@pts/core/webhook/push';
import { type Receiver, type ReceiverOptions, startReceiver } from './push-receiver.ts';

const SECRET = newSecret(new Uint8Array(32).fill(1));
const body = pingBody(new Date(), 'webhook-1');

async function withReceiver(use: (receiver: Receiver) => Promise<void>, change: Partial<ReceiverOptions> = {}) {
  const receiver = await startReceiver({ host: '127.0.0.1', port: 0, url: null, ...change });
  await use(receiver).finally(receiver.close);
}

function push(url: string, secret = SECRET, sentAt = new Date()): Promise<Response> {
  const headers = pushHeaders({ messageId: 'm-1', event: 'ping', attempt: 2, body, secrets: [secret], sentAt });
  return fetch(url, { method: 'POST', headers, body });
}

test('a correctly signed push is answered 200 and recorded as verified', () =>
  withReceiver(async ({ url, pushes, trust }) => {
    trust(SECRET);
    expect((await push(url)).status).toBe(200);
    expect(pushes).toMatchObject([
      {
        verdict: { ok: true, event: 'ping', attempt: 2, messageId: 'm-1' },
        body: { data: { webhook_id: 'webhook-1' } },
      },
    ]);
  }));

test('a wrong signature is answered 401, a stale one 400, and both are recorded as such', () =>
  withReceiver(async ({ url, pushes, trust }) => {
    trust(SECRET);
    const stale = new Date(Date.now() - 400_000);
    expect([(await push(url, 'whsec_other')).status, (await push(url, SECRET, stale)).status]).toEqual([401, 400]);
    expect(pushes.map(({ verdict }) => verdict.ok)).toEqual([false, false]);
  }));
