import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contractions, longLocks } from '../support/migration-rule.ts';
import { migrationsOf, releaseCommit, releasedVersions } from '../support/releases/previous-release.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const FOLDER = join(ROOT, 'prisma/migrations');

test('migrations since the previous release only expand, and hold up no writer of a large table', async () => {
  const released = releasedVersions(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  const known = new Set(await migrationsOf(await releaseCommit(released[0] as string)));
  const migrations = readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, sql: readFileSync(join(FOLDER, name, 'migration.sql'), 'utf8') }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const before = migrations.filter(({ name }) => known.has(name));
  const since = migrations.filter(({ name }) => !known.has(name));
  expect(before.map(({ name }) => name)).toEqual([...known].sort());
  expect(contractions(before, since, released)).toEqual([]);
  expect(longLocks(since)).toEqual([]);
});
