import { eventually } from '@pts/testing/eventually';
import { type Certificates, makeCertificates } from '@pts/testing/servers/postgres';
import { startRedis, type TestRedis } from '@pts/testing/servers/redis';
import { testServer } from '@pts/testing/stores';
import { openQueue } from '../connection.ts';
import { namingRedis } from './describe-fault.ts';
import { inspectRedis } from './inspect.ts';

let certificates: Certificates;
let withTls: TestRedis;
/** Addresses with the wrong scheme. */
let wrong: { plain: string; tls: string };
beforeAll(async () => {
  certificates = makeCertificates();
  withTls = await startRedis({ tls: certificates });
  const plain = Object.assign(new URL(testServer('TEST_REDIS_URL')), { password: 's3cret' }).href;
  wrong = { plain: plain.replace('redis:', 'rediss:'), tls: withTls.url.replace('rediss:', 'redis:') };
}, 60_000);
afterAll(async () => {
  await withTls.stop();
  certificates.remove();
});

const asCluster = (url: string) => url.replace(/^(rediss?):/, '$1+cluster:');

test('the error for an address with the wrong scheme names the right one', async () => {
  const refusalOf = (url: string) => inspectRedis(url).then(String, ({ message }: Error) => message);
  const urls = [wrong.plain, wrong.tls, asCluster(wrong.plain), asCluster(wrong.tls)];
  expect(await Promise.all(urls.map(refusalOf))).toEqual([
    expect.stringMatching(/; it does not speak TLS at this port: use redis:\/\/, or its tls-port$/),
    expect.stringMatching(/; it speaks TLS at this port: use rediss:\/\/$/),
    expect.stringMatching(/; it does not speak TLS at this port: use redis\+cluster:\/\/, or its tls-port$/),
    expect.stringMatching(/; it speaks TLS at this port: use rediss\+cluster:\/\/$/),
  ]);
});

test('a queue says which Redis it cannot use, and why', async () => {
  const { host } = new URL(wrong.plain);
  const faults: string[] = [];
  const onError = ({ message }: Error) => void faults.push(message);
  const queue = await openQueue({ redisUrl: wrong.plain, databaseUrl: '', prefix: '{away}', onError });
  try {
    expect(queue.at).toBe(`Redis ${host}`);
    await expect(queue.ping()).rejects.toThrow(/does not speak TLS/);
    await eventually(() => expect(faults).toEqual([expect.stringMatching(/does not speak TLS/)]));
    expect(faults[0]).toMatch(`Redis ${host}: `);
    expect(faults[0]).not.toContain('s3cret');
  } finally {
    await queue.close();
  }
});

test.each([
  ['redis://me:s3cret@10.0.0.1:6380/2', 'Redis 10.0.0.1:6380: connect ECONNREFUSED'],
  ['rediss+sentinel://:s3cret@a,b:7/main', 'Redis sentinel a:26379,b:7/main: connect ECONNREFUSED'],
])('an error of %s names it without its password', (url, text) => {
  const faults: string[] = [];
  namingRedis(url, ({ message }) => void faults.push(message))(new Error('connect ECONNREFUSED'));
  expect(faults).toEqual([text]);
});
