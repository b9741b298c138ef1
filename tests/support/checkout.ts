import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf } from '@pts/testing/app-process';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

/**
 * Replaces only `npm ci`. It logs to npm.log, and has a child that would outlive it. Without the file
 * `go` it installs until it is ended, and takes its time about that.
 */
const NPM = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const say = (text) => appendFileSync('npm.log', text + '\\n');
mkdirSync('node_modules/partial', { recursive: true });
if (existsSync('node_modules/left-over')) {
  say('in the way');
  console.error('npm error ENOTEMPTY: directory not empty, rmdir node_modules/left-over');
  process.exit(190);
}
const script = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', process.cwd()], { stdio: 'inherit' });
process.on('SIGTERM', () => {});
say('begun');
setInterval(() => {
  if (!existsSync('go')) return writeFileSync('node_modules/partial/file', '');
  script.kill();
  mkdirSync('node_modules/prisma', { recursive: true });
  writeFileSync('node_modules/prisma/package.json', '{"version":"1"}');
  writeFileSync('node_modules/.package-lock.json', '{"packages":{"node_modules/prisma":{"version":"1"}}}');
  say('installed');
  process.exit(0);
}, 20);
`;

const FILES = {
  'npm.js': NPM,
  'package.json': '{"version":"0.0.0","scripts":{"start":"npm_execpath=$PWD/npm.js exec node scripts/start.mjs"}}',
  'package-lock.json': '{"packages":{"node_modules/prisma":{"version":"1"}}}',
  'prisma/schema.prisma': '',
  'prisma/migrations/1_first/migration.sql': '',
  // The SHA-256 of the empty schema, the newest migration and the version 1.
  'packages/db/src/generated/.schema-hash': '4a41c68a612ba57c5573d831f09b5724d59d98fac868c9bf49f9c521230240f8',
  'apps/standalone/src/main.ts': '',
  'apps/standalone/dist/.inputs.json': '{}',
  'apps/standalone/dist/standalone.mjs': `console.log('the service runs');`,
};

export type Started = {
  child: ChildProcess;
  output(): string;
  /** How it ended, once all processes that write its output have ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/** A checkout with the real scripts, where only the dependencies are still to be installed, by a fake npm. */
export function newCheckout() {
  const dir = mkdtempSync(join(tmpdir(), 'pts-checkout-'));
  cpSync(join(ROOT, 'scripts'), join(dir, 'scripts'), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  return {
    dir,
    write,
    log: () => (existsSync(join(dir, 'npm.log')) ? readFileSync(join(dir, 'npm.log'), 'utf8').trim().split('\n') : []),
    has: (path: string) => existsSync(join(dir, path)),
    npmStart: () => start('npm', ['start']),
    nodeStart: () => start(process.execPath, ['scripts/start.mjs']),
    remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 10 }),
  };

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }

  /** In a process group of its own, as a shell starts what is in the foreground. */
  function start(command: string, args: string[]): Started {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, npm_execpath: join(dir, 'npm.js') };
    const child = spawn(command, args, { cwd: dir, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<Awaited<Started['ended']>>((done) =>
      child.once('close', (code, signal) => done({ code, signal })),
    );
    return { child, output: outputOf(child), ended };
  }
}
