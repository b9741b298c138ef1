import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import {
  type AptPackage,
  cachedWithApt,
  installWithApt,
  onPath,
  type ServerInFolder,
  startInFolder,
  startOnPort,
} from './programs.ts';

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
 * Starts a separate Redis on a free port of 127.0.0.1, without persistence. It ends with this process, however that
 * ends.
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

const run = promisify(execFile);

/** A way to run a Redis: the command line that serves `args` on `port`, perhaps with a configuration file. */
type RedisProgram = {
  command(server: RedisServer): [string, ...string[]];
  env?: NodeJS.ProcessEnv;
};

type RedisServer = { port: number; dir: string; args: string[]; tls: boolean; configFile?: string };

const PACKAGE: AptPackage = { name: 'redis-server', server: 'usr/bin/redis-server', cache: 'redis' };
const IMAGE = 'redis:7-alpine';
const NO_REDIS = `The tests need a Redis and found none. Any of these will do:
  - install redis-server or valkey-server (version 6.2 or newer) so that it is on the PATH;
  - start Docker;
  - set TEST_REDIS_URL=redis://host:port to one whose contents may be destroyed.`;

/** On the PATH, in Docker, or, after a notice, through the system's package manager. @throws if none is available. */
export async function findRedis(log: (line: string) => void): Promise<RedisProgram> {
  const installed = onPath('redis-server') ?? onPath('valkey-server');
  if (installed) return program(installed);
  const cached = cachedWithApt(PACKAGE);
  if (cached) return program(cached.server, cached.env);
  const tried: string[] = [];
  for (const attempt of [withDocker, withApt, withBrew]) {
    try {
      const found = await attempt(log);
      if (found) return found;
    } catch (error) {
      tried.push(`  ${attempt.name}: ${error instanceof Error ? error.message.trim() : error}`);
    }
  }
  throw new Error([NO_REDIS, ...(tried.length ? ['What was tried:', ...tried] : [])].join('\n'));
}

function program(server: string, env: NodeJS.ProcessEnv = {}): RedisProgram {
  return {
    command: ({ port, dir, args, tls, configFile }) => [
      server,
      ...(configFile ? [configFile] : []),
      ...portSettings(port, tls),
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      ...args,
    ],
    env,
  };
}

/** With TLS, the port without TLS is off. */
function portSettings(port: number, tls: boolean): string[] {
  return tls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)];
}

async function withDocker(log: (line: string) => void): Promise<RedisProgram | undefined> {
  const docker = onPath('docker');
  if (!docker) return undefined;
  await run(docker, ['info'], { timeout: 10_000 });
  log(`there is no redis-server on the PATH: using Docker's ${IMAGE}`);
  await run(docker, ['pull', '--quiet', IMAGE], { timeout: 180_000 });
  return {
    command: ({ port, dir, args, tls, configFile }) => [
      docker,
      'run',
      '--rm',
      '--publish',
      `127.0.0.1:${port}:6379`,
      '--volume',
      `${dir}:${dir}`,
      IMAGE,
      'redis-server',
      ...(configFile ? [configFile] : []),
      ...portSettings(6379, tls),
      ...args,
    ],
  };
}

async function withApt(log: (line: string) => void): Promise<RedisProgram | undefined> {
  if (!onPath('apt-get') || !onPath('dpkg-deb')) return undefined;
  log(
    'there is no redis-server on the PATH: downloading one with apt-get, for these tests only (the system is not changed)',
  );
  const { server, env } = await installWithApt(PACKAGE);
  return program(server, env);
}

async function withBrew(log: (line: string) => void): Promise<RedisProgram | undefined> {
  const brew = onPath('brew');
  if (!brew) return undefined;
  log('there is no redis-server on the PATH: installing it with `brew install redis`');
  await run(brew, ['install', '--quiet', 'redis'], { timeout: 600_000 });
  const { stdout } = await run(brew, ['--prefix']);
  return program(join(stdout.trim(), 'bin/redis-server'));
}
