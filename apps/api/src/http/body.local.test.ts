import { createServer } from 'node:http';
import { createLogger } from '@pts/runtime/logger';
import { listen } from '@pts/testing/http-server';
import express from 'express';
import { createJsonReader } from './body.ts';
import { respondError } from './errors.ts';

test('an account rests after its body was parsed, also when it is not JSON, before it is answered', async () => {
  const rested: string[] = [];
  const slicesOf = (accountId: string) => ({
    next: async () => void rested.push(accountId),
    resume: () => {},
  });
  const readJson = createJsonReader({ slicesOf });
  const app = express();
  app.post('/:accountId', async (request, response) => {
    response.json(await readJson(request, response, { maxBytes: 100, accountId: request.params.accountId }));
  });
  app.use(respondError({ logger: createLogger({ app: 'api', level: 'silent', format: 'json' }) }));
  const { url, close } = await listen(createServer(app));
  const post = async (accountId: string, body: string) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${url}/${accountId}`, { method: 'POST', headers, body })).status;
  };
  try {
    expect(await post('careful', '{"a":1}')).toBe(200);
    expect(rested).toEqual(['careful']);
    expect(await post('careless', '{"a":1')).toBe(400);
    expect(rested).toEqual(['careful', 'careless']);
  } finally {
    await close();
  }
});
