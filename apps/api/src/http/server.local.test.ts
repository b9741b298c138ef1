import { createLogger } from '@pts/runtime/logger';
import { listen } from '@pts/testing/http-server';
import express from 'express';
import { createApiServer } from './server.ts';

const logger = createLogger({ app: 'api', level: 'silent', format: 'json', write: () => {} });

test('Express finds its methods on each request and response, and changes the prototype of none', async () => {
  const app = express();
  const seen: { expected: object[]; found: object[] } = { expected: [], found: [] };
  const prototypesOf = (...messages: object[]) => messages.map((message) => Object.getPrototypeOf(message) as object);
  app.get('/', (request, response) => {
    seen.found = prototypesOf(request, response);
    response.json({ query: request.query, isOfApp: request.app === app });
  });
  const server = createApiServer(app, logger);
  server.prependListener('request', (request, response) => {
    seen.expected = prototypesOf(request, response);
  });
  const { url, close } = await listen(server);
  try {
    const response = await fetch(`${url}/?a=1`);
    expect(await response.json()).toEqual({ query: { a: '1' }, isOfApp: true });
    const [sameRequest, sameResponse] = seen.found.map((prototype, place) => prototype === seen.expected[place]);
    expect([sameRequest, sameResponse]).toEqual([true, true]);
  } finally {
    await close();
  }
});
