import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type AptPackage, cachedWithApt, installWithApt } from './apt.ts';

const run = promisify(execFile);

/** A way to run a Redis: the command line that serves `args` on `port`, perhaps with a configuration file. */
export type RedisProgram = {
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

export function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  // Where system programs are, also when a plain user's PATH leaves it out.
  return [...folders, '/usr/sbin', '/usr/local/sbin'].map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return existsSync(path);
  } catch {
    return false;
  }
}
