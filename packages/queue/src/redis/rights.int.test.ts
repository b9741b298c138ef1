import { randomBytes } from 'node:crypto';
import { eventually } from '@pts/testing/eventually';
import { testServer } from '@pts/testing/stores';
import { Redis } from 'ioredis';
import { openQueue } from '../connection.ts';
import { createProducer } from '../producer.ts';
import { startWorker } from '../worker.ts';

test('jobs reach their worker where dangerous commands are refused and only the keys of the prefix are allowed', async () => {
  const url = testServer('TEST_REDIS_URL');
  const name = `rented-${randomBytes(6).toString('hex')}`;
  const prefix = `{${name}}`;
  const server = new Redis(url);
  await server.call('ACL', ['SETUSER', name, 'on', '>pw', `~${prefix}*`, '+@all', '-@dangerous']);
  const redisUrl = Object.assign(new URL(url), { username: name, password: 'pw' }).href;
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const queue = await openQueue({ redisUrl, databaseUrl: '', prefix, onError });
  const producer = createProducer(queue, onError);
  const seen: unknown[] = [];
  const query = async (payload: unknown) => void seen.push(payload);
  const worker = startWorker(queue, 'query-x', { query }, { concurrency: 1 }, onError);
  try {
    await producer.query('x', [{ ids: ['1'], accounts: ['a'] }]);
    await eventually(() => expect(seen).toEqual([{ ids: ['1'], accounts: ['a'] }]));
    expect(errors).toEqual([]);
  } finally {
    await worker.close();
    await producer.close();
    await queue.close();
    const keys = await server.keys(`${prefix}*`);
    if (keys.length > 0) await server.del(keys);
    await server.call('ACL', ['DELUSER', name]);
    server.disconnect();
  }
});
