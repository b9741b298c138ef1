import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Push } from '../ledger/facts.ts';
import type { FromReceiver, Manner, ToReceiver } from './messages.ts';

// The receivers of all merchants, in a separate process: it verifies every push, answers as set for its endpoint,
// and reports it.
/** The spec's limit for the age of a timestamp (section 6.3). */
const OLDEST_SECONDS = 300;

const secrets = new Map<string, string>();
const manners = new Map<string, Manner>();
/** The status of each answer; 0 for none. */
const STATUSES: Readonly<Record<Manner, number>> = { accept: 200, error: 500, reset: 0, hang: 0 };
/** Resolves once the run can read it. */
const send = (message: FromReceiver) =>
  new Promise<void>((sent) => process.send?.(message, undefined, undefined, () => sent()));

process.on('disconnect', () => process.exit());
process.on('message', ({ path, secret, manner }: ToReceiver) => {
  if (secret !== undefined) secrets.set(path, secret);
  if (manner !== undefined) manners.set(path, manner);
});

const server = createServer(async (request, response) => {
  const path = request.url ?? '';
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return; // the sender closed the connection before it had sent everything
  }
  const manner = manners.get(path) ?? 'accept';
  // Before the answer: once the service has recorded it, the run knows the push.
  await send({ push: { ...read(path, request.headers, Buffer.concat(chunks)), answered: STATUSES[manner] } });
  answer(response, manner);
});
server.listen(0, '127.0.0.1', () => send({ port: (server.address() as AddressInfo).port }));

function answer(response: ServerResponse, manner: Manner): void {
  if (manner === 'reset') response.socket?.resetAndDestroy();
  else if (manner !== 'hang') response.writeHead(STATUSES[manner]).end();
}

function read(path: string, headers: IncomingHttpHeaders, body: Buffer): Omit<Push, 'answered'> {
  const of = (name: string) => String(headers[name] ?? '');
  const { event = '', data = {} } = parse(body);
  return {
    endpoint: path,
    messageId: of('x-webhook-id'),
    event,
    attempt: Number(of('x-webhook-attempt')),
    fault: faultOf(path, { timestamp: of('x-webhook-timestamp'), signature: of('x-webhook-signature') }, body),
    trackingId: data.id ?? '',
    seq: data.seq ?? 0,
    subStatus: data.sub_status ?? '',
  };
}

type Body = { event?: string; data?: { id?: string; seq?: number; sub_status?: string } };

function parse(body: Buffer): Body {
  try {
    return JSON.parse(body.toString('utf8')) as Body;
  } catch {
    return {};
  }
}

/** Verifies a push with HMAC only, as spec section 6.3 describes it. @returns null if nothing is wrong with it */
function faultOf(path: string, sent: { timestamp: string; signature: string }, body: Buffer): string | null {
  const secret = secrets.get(path);
  if (secret === undefined) return 'the endpoint is not registered';
  const hmac = createHmac('sha256', secret).update(`${sent.timestamp}.`).update(body).digest('hex');
  if (sent.signature !== `t=${sent.timestamp},v1=${hmac}`) return 'the signature is wrong';
  const age = Math.abs(Date.now() / 1000 - Number(sent.timestamp));
  return age <= OLDEST_SECONDS ? null : `its timestamp is ${Math.round(age)} s off`;
}
