import { createServer, type Server } from 'node:http';
import { createLogger } from '@pts/runtime/logger';
import { listen } from '@pts/testing/http-server';
import express, { type Express } from 'express';
import { createApiServer } from './server.ts';

const logger = createLogger({ app: 'api', level: 'silent', format: 'json', write: () => {} });

/** Sends a request. @returns its answer, and whether the request and the response had the prototypes of Node's classes to the end. */
async function prototypesKept(app: Express, server: Server) {
  const seen: { expected: object[]; found: object[] } = { expected: [], found: [] };
  const prototypesOf = (...messages: object[]) => messages.map((message) => Object.getPrototypeOf(message) as object);
  app.get('/', (request, response) => {
    seen.found = prototypesOf(request, response);
    response.json({ query: request.query, isOfApp: request.app === app });
  });
  server.prependListener('request', (request, response) => {
    seen.expected = prototypesOf(request, response);
  });
  const { url, close } = await listen(server);
  try {
    const answer = await (await fetch(`${url}/?a=1`)).json();
    return { answer, kept: seen.found.map((prototype, place) => prototype === seen.expected[place]) };
  } finally {
    await close();
  }
}

test('Express finds its methods on each request and response, and changes the prototype of none', async () => {
  const app = express();
  expect(await prototypesKept(app, createApiServer(app, logger))).toEqual({
    answer: { query: { a: '1' }, isOfApp: true },
    kept: [true, true],
  });
});

test('Express changes the prototypes of messages of Node’s own classes; once it does not, remove express-prototypes.ts', async () => {
  const app = express();
  expect((await prototypesKept(app, createServer(app))).kept).toEqual([false, false]);
});
