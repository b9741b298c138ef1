import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { openPool } from './pool.ts';

const database = await testDatabase();
afterAll(database.close);
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A link to the server that drops all data of the first connection without closing it. */
async function startWay() {
  const { hostname, port } = new URL(database.url);
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    sockets.push(near.on('error', () => {}));
    if (sockets.length === 1) return void near.resume();
    const far = connect(Number(port), hostname);
    near.pipe(far).on('error', () => {});
    far.pipe(near);
    near.once('close', () => far.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  closing.push(close);
  return { url: url.href, sockets };
}

test('a connection that goes silent while it is opened delays no statement: a second one takes over', async () => {
  const way = await startWay();
  const pool = openPool({ databaseUrl: way.url, max: 2, onError: () => {} });
  closing.push(() => pool.end());
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  expect([way.sockets.length, way.sockets[0]?.destroyed]).toEqual([2, false]);
  // It does not delay the end of the pool either.
  await pool.end();
  await eventually(() => expect(way.sockets[0]?.readyState).not.toBe('open'));
}, 30_000);
