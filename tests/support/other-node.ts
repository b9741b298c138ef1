import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { alone } from './alone.ts';

const run = promisify(execFile);
const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

/** The oldest Node that is supported, and the one in the images. */
const SUPPORTED = ['20.19.0', '24.21.0'] as const;

/** The supported version that differs most from the Node that runs this. */
export function otherVersion(running = process.versions.node): string {
  const [oldest, newest] = SUPPORTED;
  return Number(running.split('.')[0]) >= 22 ? oldest : newest;
}

/** Gets the program of a Node version out of an npm package, once. @returns its path. */
export async function nodeProgram(version: string): Promise<string> {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const home = join(ROOT, '.cache', `node-${version}`);
  const program = join(home, 'node_modules', name, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
  await alone(home, async () => {
    if (existsSync(program)) return;
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true }));
    const npm = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', home, `${name}@${version}`];
    await run('npm', npm, { cwd: home, shell: process.platform === 'win32' });
  });
  return program;
}
