import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@pts/embedded/free-port';
import { Tether } from '@pts/embedded/tether';
import { findRedis, type RedisProgram } from './redis-program.ts';

export type TestRedis = { url: string; stop(): Promise<void> };

/** Starts a Redis of one's own on a free port of 127.0.0.1, without persistence. It ends with this process, however that ends. */
export async function startRedis(options: { log?: (line: string) => void } = {}): Promise<TestRedis> {
  const program = await findRedis(options.log ?? (() => {}));
  const dir = mkdtempSync(join(tmpdir(), 'pts-redis-'));
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const tether = launch(program, port, dir);
    if (await isReady(tether, port)) return { url: `redis://127.0.0.1:${port}`, stop: () => end(tether, dir) };
    const said = readFileSync(join(dir, 'log'), 'utf8').trim();
    await end(tether, dir);
    // Someone may bind the free port before Redis does.
    if (attempt === 3) throw new Error(`Redis did not start:\n${said}`);
  }
}

function launch(program: RedisProgram, port: number, dir: string): Tether {
  const settings = { save: '', appendonly: 'no', 'maxmemory-policy': 'noeviction' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const output = openSync(join(dir, 'log'), 'w');
  const [command, ...rest] = program.command({ port, dir, args });
  const env = { ...process.env, ...program.env };
  const tether = new Tether(command, rest, { stopSignal: 'TERM', output, remove: dir, env });
  closeSync(output);
  return tether;
}

async function isReady(tether: Tether, port: number): Promise<boolean> {
  let alive = true;
  void tether.exited.then(() => {
    alive = false;
  });
  for (const deadline = Date.now() + 30_000; alive && Date.now() < deadline; await delay(20)) {
    if (await pings(port)) return true;
  }
  return false;
}

function pings(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 }, () => socket.write('PING\r\n'));
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (data) => finish(data.toString().startsWith('+PONG')));
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => finish(false));
  });
}

async function end(tether: Tether, dir: string): Promise<void> {
  if (!(await tether.stop(10_000))) tether.kill();
  await tether.exited;
  rmSync(dir, { recursive: true, force: true });
}
