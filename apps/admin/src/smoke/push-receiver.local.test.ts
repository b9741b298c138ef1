import { pushHeaders } from '@pts/core/webhook/headers';
import { pingBody } from '@pts/core/webhook/payload';
import { newSecret } from '@pts/core/webhook/signature';
import { Problem } from '../command-line/problem.ts';
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

test('before the secret is known, senders are asked to retry', () =>
  withReceiver(async ({ url, pushes }) => {
    expect((await push(url)).status).toBe(503);
    expect(pushes).toEqual([]);
  }));

test('if the port is in use, a free one is used', () =>
  withReceiver(({ url }) =>
    withReceiver(
      async (second) => {
        expect(new URL(second.url).port).not.toBe(new URL(url).port);
      },
      { port: Number(new URL(url).port) },
    ),
  ));

test('the service may use another address for it', () =>
  withReceiver(
    async ({ url }) => {
      expect(url).toBe('https://tunnel.example.com/x');
    },
    { url: 'https://tunnel.example.com/x' },
  ));

test('an address of another machine is reported in one line', async () => {
  const elsewhere = startReceiver({ host: '192.0.2.1', port: 0, url: null });
  await expect(elsewhere).rejects.toThrow(Problem);
  await expect(elsewhere).rejects.toThrow(/--receiver-host/);
});
