// Over 1,000 parcels a day: no polling. Every change is pushed to you, signed.
//   node examples/webhook-push.mjs [tracking number …]
// RECEIVER_PORT  the port of this program; default 9010, 0 for any free port
// RECEIVER_URL   how the service reaches it, if not by http://127.0.0.1:<port>/hook; in production a public https
// address
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { call, numbersToTrack, run } from './api.mjs';

const { RECEIVER_PORT = '9010', RECEIVER_URL } = process.env;

let secret = ''; // shown once, when the webhook is registered: keep it where you keep passwords
const seenMessages = new Set(); // in production a table with a unique key, which all of your servers share
const lastSeqs = new Map(); // in production a column of your parcels: the last seq that was applied
const awaited = new Set(); // the ids of our parcels: the account may have others
const arrived = new Set();
let onPush = () => {};

run(async () => {
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy()); // the sender hung up, and will retry
  });
  await new Promise((done, fail) => server.once('error', fail).listen(Number(RECEIVER_PORT), '127.0.0.1', done));
  const url = RECEIVER_URL || `http://127.0.0.1:${server.address().port}/hook`;
  let webhook;
  try {
    const events = ['tracking_update', 'tracking_delivered', 'tracking_exception'];
    // Registering makes a new secret each time, so it is not repeated blindly.
    webhook = await call('POST', '/webhooks', { url, events }, { repeat: false });
    secret = webhook.secret;
    // The service sends a valid, a stale, a tampered and a duplicate push, and returns how we answered.
    const { passed, checks } = await call('POST', `/webhooks/${webhook.id}/check`, undefined, { repeat: false });
    for (const { name, http_status, advice } of checks)
      console.log(`  ${name}: we answered ${http_status}${advice ? `. ${advice}` : ''}`);
    if (!passed) throw new Error('The receiver check failed.');
    console.log(`the service reaches us at ${url}`);

    const numbers = numbersToTrack(2);
    for (const tracking_number of numbers)
      awaited.add((await call('POST', '/trackings/create', { tracking_number })).id);
    console.log(`registered ${numbers.length} parcels, waiting for updates`);
    await new Promise((done) => {
      onPush = () => [...awaited].every((id) => arrived.has(id)) && done();
      onPush();
    });
    console.log('all parcels have arrived');
  } finally {
    // Only because this is an example: yours stays.
    if (webhook) await call('DELETE', `/webhooks/${webhook.id}`, undefined, { repeat: false });
    server.close();
    server.closeAllConnections();
  }
});

async function receive(request, response) {
  const rawBody = await buffer(request); // the raw bytes: parsing and serializing would change them
  const refusal = verify(request.headers, rawBody);
  if (refusal) return response.writeHead(refusal).end();
  response.writeHead(200).end(); // within 10 seconds; store the push first, if your work may fail
  work(request.headers['x-webhook-id'], JSON.parse(rawBody));
}

/** The status for a push that is not from the service; undefined if it is. */
function verify(headers, rawBody) {
  const timestamp = headers['x-webhook-timestamp'] ?? '';
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return 400;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
  // t=<seconds>,v1=<hex>, and during a secret rotation more than one v1.
  const signatures = (headers['x-webhook-signature'] ?? '')
    .split(',')
    .flatMap((part) => part.match(/^v1=([0-9a-f]{64})$/)?.[1] ?? []);
  const isSigned = signatures.some((hex) => timingSafeEqual(Buffer.from(hex, 'hex'), expected));
  return isSigned ? undefined : 401;
}

/** Delivery is at least once and unordered: duplicates and older states are ignored. */
function work(messageId, { event, data }) {
  if (event === 'ping' || seenMessages.has(messageId)) return;
  seenMessages.add(messageId);
  if (data.seq <= (lastSeqs.get(data.id) ?? 0)) return console.log(`  ${data.tracking_number} #${data.seq} is stale`);
  lastSeqs.set(data.id, data.seq);
  console.log(`  ${data.tracking_number} #${data.seq} ${event}: ${data.status}`);
  if (event === 'tracking_delivered') arrived.add(data.id);
  onPush();
}
