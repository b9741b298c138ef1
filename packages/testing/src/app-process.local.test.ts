import { existsSync, readFileSync } from 'node:fs';
import { freeAddresses } from './app-process.ts';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';
const [MIN_OUTGOING = 49_152] = existsSync(RANGE) ? readFileSync(RANGE, 'utf8').split('\t').map(Number) : [];

test('no outgoing connection takes the port of a process before it is bound', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, freeAddresses));
  const ports = all.flatMap(({ env }) => [Number(env.PORT), Number(env.MANAGEMENT_PORT)]);
  expect(Math.max(...ports)).toBeLessThan(MIN_OUTGOING);
});
