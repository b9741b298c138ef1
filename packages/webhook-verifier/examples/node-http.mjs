// WEBHOOK_SECRET=whsec_… node node-http.mjs
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verify } from '@pts/webhook-verifier';

const { WEBHOOK_SECRET, PORT = '9000' } = process.env;
const stored = new Map(); // in earnest a table with a unique key, and a worker that empties it

async function receive(request, response) {
  const rawBody = await buffer(request);
  const push = verify(request.headers, rawBody, WEBHOOK_SECRET);
  if (!push.ok) return response.writeHead(push.status).end(push.message);
  const isNew = !stored.has(push.messageId); // pushes come at least once
  if (isNew) stored.set(push.messageId, JSON.parse(rawBody));
  response.writeHead(204).end();
  if (isNew) work(stored.get(push.messageId));
}

function work({ event, data }) {
  console.log(event, data.tracking_number ?? '', data.status ?? '');
}

const server = createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.error(error);
    response.destroy(); // no answer: the push comes again
  });
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}/hook`);
});
