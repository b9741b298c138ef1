import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiDocument } from '../apps/api/src/reference/operations.ts';
import manifest from '../package.json' with { type: 'json' };
import { newestSection, statedVersions } from './support/releases/versions.ts';

const ROOT = join(import.meta.dirname, '..');
const release = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(ROOT, 'scripts/release-version.mjs'), ...args]);

/** Places that state a wrong version. */
const differing = (root: string, version: string) => statedVersions(root).filter(([, stated]) => stated !== version);

test('every place that states the version states that of package.json', () => {
  expect(differing(ROOT, manifest.version)).toEqual([]);
  expect(apiDocument().info.version).toBe(manifest.version);
  const places = statedVersions(ROOT).map(([place]) => place);
  expect(places.filter((place) => place === 'k8s/overlays/prod/kustomization.yaml').length).toBe(5);
  expect(places).toEqual(expect.arrayContaining(['k8s/README.md']));
});

test('a checkout that differs from the last release does not bear its version', () => {
  const isDevelopment = manifest.version.endsWith('-dev');
  expect(newestSection(ROOT)).toBe(isDevelopment ? 'Unreleased' : manifest.version);
});

describe('a release', () => {
  let root: string;
  const changelog = () => join(root, 'CHANGELOG.md');
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'pts-release-'));
    const isSource = (path: string) => !/\/(node_modules|dist|src)(\/|$)/.test(path.slice(ROOT.length));
    for (const name of ['package.json', 'package-lock.json', 'CHANGELOG.md', 'README.md'])
      cpSync(join(ROOT, name), join(root, name));
    for (const name of ['apps', 'packages', 'k8s', 'docker', 'docs', '.ci'])
      cpSync(join(ROOT, name), join(root, name), { recursive: true, filter: isSource });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('states its version everywhere', async () => {
    writeFileSync(changelog(), '# Changelog\n\n## Unreleased\n\nNews.\n\n## 7.8.8\n');
    await release('7.8.9', root);
    expect(differing(root, '7.8.9')).toEqual([]);
    expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).toEqual({ ...manifest, version: '7.8.9' });
    expect(readFileSync(changelog(), 'utf8')).toBe('# Changelog\n\n## 7.8.9\n\nNews.\n\n## 7.8.8\n');
  });

  test('is followed by a development version, whose changes are unreleased until the next release', async () => {
    writeFileSync(changelog(), '# Changelog\n\n## 7.8.9\n\nNews.\n');
    await release('7.8.9', root);
    await release('7.9.0-dev', root);
    expect(differing(root, '7.9.0-dev')).toEqual([]);
    expect(readFileSync(changelog(), 'utf8')).toBe('# Changelog\n\n## Unreleased\n\n## 7.8.9\n\nNews.\n');
    await release('8.0.0-dev', root);
    expect(readFileSync(changelog(), 'utf8')).toBe('# Changelog\n\n## Unreleased\n\n## 7.8.9\n\nNews.\n');
    await release('8.0.0', root);
    expect(differing(root, '8.0.0')).toEqual([]);
    expect(newestSection(root)).toBe('8.0.0');
  });

  test.each(['next', '1.2', '1.2.3-Dev', '1.2.3-dev.', '1.2.3-', '1.2.3+dev'])(
    'called %s is refused, and nothing is written',
    async (version) => {
      await expect(release(version, root)).rejects.toMatchObject({
        stderr: expect.stringContaining('release-version -- 1.2.3'),
      });
      expect(differing(root, manifest.version)).toEqual([]);
    },
  );
});
