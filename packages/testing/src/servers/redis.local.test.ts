import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { startRedis } from './redis.ts';

test('a Redis whose port is taken says so, after it was tried again', async () => {
  const taken = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;

  await expect(startRedis({ port })).rejects.toThrow(/Redis ended with \d+:[\s\S]*Address already in use/);

  await new Promise((resolve) => taken.close(resolve));
});
