import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiDocument } from '../apps/api/src/reference/operations.ts';
import manifest from '../package.json' with { type: 'json' };
import { statedVersions } from './support/versions.ts';

const ROOT = join(import.meta.dirname, '..');
const release = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(ROOT, 'scripts/release-version.mjs'), ...args]);

/** Places that state a wrong version. */
const differing = (root: string, version: string) => statedVersions(root).filter(([, stated]) => stated !== version);

test('every place that states the version states that of package.json', () => {
  expect(differing(ROOT, manifest.version)).toEqual([]);
  expect(apiDocument().info.version).toBe(manifest.version);
  const places = statedVersions(ROOT).map(([place]) => place);
  expect(places.filter((place) => place === 'k8s/overlays/prod/kustomization.yaml').length).toBe(4);
  expect(places).toContain('k8s/README.md');
});

describe('a release', () => {
  let root: string;
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
    const changelog = join(root, 'CHANGELOG.md');
    writeFileSync(changelog, `# Changelog\n\n## Unreleased\n\nNews.\n\n## ${manifest.version}\n`);
    await release('7.8.9', root);
    expect(differing(root, '7.8.9')).toEqual([]);
    expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).toEqual({ ...manifest, version: '7.8.9' });
    expect(readFileSync(changelog, 'utf8')).toContain(`## 7.8.9\n\nNews.\n\n## ${manifest.version}\n`);
  });

  test('with an invalid version is refused, and nothing is written', async () => {
    await expect(release('next', root)).rejects.toMatchObject({
      stderr: expect.stringContaining('release-version -- 1.2.3'),
    });
    expect(differing(root, manifest.version)).toEqual([]);
  });
});
