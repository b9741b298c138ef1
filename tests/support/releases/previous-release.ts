import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { App } from '@pts/testing/app-process';
import { alone } from '../alone.ts';

const run = promisify(execFile);
const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');
/** Of this checkout: a release, or one in development. */
const OWN: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
const APPS: readonly App[] = ['sandbox-carrier', 'api', 'carrier-poller', 'webhook-dispatcher'];

const git = async (...args: string[]) => (await run('git', args, { cwd: ROOT, maxBuffer: 1 << 26 })).stdout.trim();

/** The versions before `own` with a section in the changelog, newest first. */
export function releasedVersions(changelog: string, own = OWN): string[] {
  const versions = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)]
    .flatMap(([, version]) => version ?? [])
    .filter((version) => version !== own);
  if (versions.length === 0) throw new Error('CHANGELOG.md has no released version');
  return versions;
}

/** The commit that set the version. @throws an Error that says how to get the history, if it is missing. */
export async function releaseCommit(version: string): Promise<string> {
  const missing = new Error(
    `the history has no commit of release ${version}, whose processes this test runs. In a shallow clone, get it with ` +
      '`git fetch --unshallow`; without a history (an unpacked archive), clone the repository instead.',
  );
  const line = `"version": "${version}"`;
  const commits = await git('log', `-S${line}`, '--format=%H', '--', 'package.json').catch(() => '');
  for (const commit of commits.split('\n').filter(Boolean)) {
    if (!(await git('show', `${commit}:package.json`)).includes(line)) continue;
    // A shallow clone's oldest commit seems to have made every file.
    if (await git('rev-parse', '--verify', '--quiet', `${commit}^`).catch(() => '')) return commit;
  }
  throw missing;
}

/** The names of the migrations that a release came with. */
export async function migrationsOf(commit: string): Promise<string[]> {
  const names = await git('ls-tree', '-d', '--name-only', `${commit}:prisma/migrations`);
  return names.split('\n').filter(Boolean);
}

/** The newest release but this one, built. @returns the folder of its checkout. */
export async function buildPreviousRelease(): Promise<string> {
  const [newest = ''] = releasedVersions(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  return buildRelease(await releaseCommit(newest));
}

/**
 * Builds a release from the history, with the dependencies that are installed here: its Prisma client and its bundles.
 * It is kept in `.cache` until it or the dependencies change.
 * @returns the folder of its checkout.
 */
async function buildRelease(commit: string): Promise<string> {
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  const home = join(ROOT, '.cache', `previous-release-${commit.slice(0, 12)}-${lock.slice(0, 12)}`);
  await alone(home, async () => {
    if (!existsSync(join(home, '.built'))) await buildIn(home, commit);
  });
  return home;
}

async function buildIn(home: string, commit: string): Promise<void> {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const archive = join(home, 'source.tar');
  await git('archive', '--output', archive, commit);
  await run('tar', ['-xf', archive, '-C', home]);
  rmSync(archive);
  linkDependencies(home);
  await run(process.execPath, ['scripts/generate.mjs'], { cwd: home });
  for (const app of APPS) await run('npm', ['run', '--silent', 'build'], { cwd: join(home, 'apps', app) });
  writeFileSync(join(home, '.built'), '');
}

/**
 * All packages installed here, except those of the workspace, which are its own. What only that release uses is a dev dependency
 * of the root (0.2.0: rate-limiter-flexible and swagger-ui-dist).
 */
function linkDependencies(home: string): void {
  const installed = join(ROOT, 'node_modules');
  mkdirSync(join(home, 'node_modules/@pts'), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== '@pts') symlinkSync(join(installed, name), join(home, 'node_modules', name));
  for (const folder of ['packages', 'apps'])
    for (const name of readdirSync(join(home, folder))) {
      symlinkSync(join(home, folder, name), join(home, 'node_modules/@pts', name));
      // What npm keeps apart for a workspace, because others use another version.
      const own = join(ROOT, folder, name, 'node_modules');
      if (existsSync(own)) symlinkSync(own, join(home, folder, name, 'node_modules'));
    }
}
