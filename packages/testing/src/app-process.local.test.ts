import { existsSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { type Addresses, freeAddresses, outputOf } from './app-process.ts';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';
const [MIN_OUTGOING = 49_152] = existsSync(RANGE) ? readFileSync(RANGE, 'utf8').split('\t').map(Number) : [];

test('a character that is printed in two parts is one in the output', async () => {
  const stdout = new PassThrough();
  const output = outputOf({ stdout, stderr: null });
  for (const byte of Buffer.from('已签收')) {
    stdout.write(Buffer.of(byte));
    await turn();
  }
  expect(output()).toBe('已签收');
});

test('neither an outgoing connection nor another process of the test takes the port of one before it is bound', async () => {
  const all: Addresses[] = [];
  while (all.length < 200) all.push(await freeAddresses());
  const ports = all.flatMap(({ env }) => [Number(env.PORT), Number(env.MANAGEMENT_PORT)]);
  expect(Math.max(...ports)).toBeLessThan(MIN_OUTGOING);
  expect(new Set(ports).size).toBe(ports.length);
});
