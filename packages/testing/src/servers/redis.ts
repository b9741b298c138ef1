import { chmodSync, copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { findRedis, type RedisProgram } from './redis-program.ts';
import { type ServerInFolder, startInFolder, startOnPort } from './server-in-folder.ts';

type Tls = { cert: string; key: string };

export type TestRedis = { url: string; port: number; stop(): Promise<void> };

type RedisOptions = {
  log?: (line: string) => void;
  tls?: Tls;
  port?: number;
  settings?: Record<string, string>;
  sentinel?: string;
};

/**
 * Starts a separate Redis on a free port of 127.0.0.1, without persistence. It ends with this process, however that ends.
 * @param options.port instead of a free one, to start it again where it was.
 * @param options.tls files in PEM: it then takes connections with TLS only, and has a `rediss:` URL.
 * @param options.settings more settings of the server.
 * @param options.sentinel the configuration of a Sentinel, which it is then.
 */
export async function startRedis(options: RedisOptions = {}): Promise<TestRedis> {
  const { tls } = options;
  const program = await findRedis(options.log ?? (() => {}));
  const { port, server } = await startOnPort('Redis', {
    port: options.port,
    launch: (free) => launch(program, free, options),
    expectReady: (free) => expectPong(free, tls !== undefined),
  });
  return { url: `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`, port, stop: server.stop };
}

function launch(program: RedisProgram, port: number, { tls, settings = {}, sentinel }: RedisOptions): ServerInFolder {
  const dir = mkdtempSync(join(tmpdir(), 'pts-redis-'));
  const usual = { save: '', appendonly: 'no', 'maxmemory-policy': 'noeviction' };
  const all = sentinel === undefined ? { ...usual, ...settings, ...(tls ? tlsSettings(dir, tls) : {}) } : settings;
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const configFile = join(dir, 'sentinel.conf');
  if (sentinel !== undefined) writeFileSync(configFile, sentinel);
  const command = program.command({
    ...{ port, dir, tls: tls !== undefined },
    ...(sentinel === undefined ? { args } : { args: [...args, '--sentinel'], configFile }),
  });
  return startInFolder(dir, command, program.env);
}

/** Copies them to a folder that a container can read. The key protects only a test server. */
function tlsSettings(dir: string, { cert, key }: Tls): Record<string, string> {
  chmodSync(dir, 0o755);
  const file = (name: string, from: string) => {
    const path = join(dir, name);
    copyFileSync(from, path);
    chmodSync(path, 0o644);
    return path;
  };
  return {
    'tls-cert-file': file('tls.cert', cert),
    'tls-key-file': file('tls.key', key),
    'tls-auth-clients': 'no',
  };
}

function expectPong(port: number, tls: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', timeout: 1000 };
    const ask = () => socket.write('PING\r\n');
    const socket = tls ? connectTls({ ...options, rejectUnauthorized: false }, ask) : connect(options, ask);
    const finish = (answer: string) => {
      socket.destroy();
      if (answer.startsWith('+PONG')) resolve();
      else reject(new Error(`Redis answers a PING with ${answer}`));
    };
    socket.once('data', (data) => finish(data.toString()));
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => finish('nothing'));
  });
}
