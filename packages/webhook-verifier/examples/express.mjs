// WEBHOOK_SECRET=whsec_… node express.mjs
import { verify } from '@pts/webhook-verifier';
import express from 'express';

const { WEBHOOK_SECRET, PORT = '9000' } = process.env;
const stored = new Map(); // in earnest a table with a unique key, and a worker that empties it

const app = express();

// express.raw() keeps the bytes that were signed. An express.json() for all routes must come after this one.
app.post('/hook', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
  const push = verify(request.headers, request.body, WEBHOOK_SECRET);
  if (!push.ok) return response.status(push.status).send(push.message);
  const isNew = !stored.has(push.messageId); // pushes come at least once
  if (isNew) stored.set(push.messageId, JSON.parse(request.body));
  response.sendStatus(204);
  if (isNew) work(stored.get(push.messageId));
});

function work({ event, data }) {
  console.log(event, data.tracking_number ?? '', data.status ?? '');
}

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}/hook`);
});
