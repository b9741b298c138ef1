// npm run release-version -- 1.2.3: writes the version of a release into every place that states it (of another
// checkout with its folder as second argument). 1.3.0-dev is what the branch is called after release 1.2.3: its changes
// stay "Unreleased". package.json leads; this writes its version into the other places.
import './parts/node-version.mjs';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuseUnknownOptions } from './parts/help.mjs';

refuseUnknownOptions(import.meta.url);
const { fail, ScriptError, ROOT } = await import('./parts/lib.mjs');
const { noteChangeDays } = await import('./parts/change-days.mjs');
const { chartFiles } = await import('./parts/deployment/chart.mjs');
const { writeFolder } = await import('./parts/write-folder.mjs');
const [version = '', root = ROOT] = process.argv.slice(2);
/** The edit that puts a section for unreleased changes at the top of the changelog, unless there is one. */
const UNRELEASED_SECTION = [/^(# Changelog\n\n)(?!## Unreleased\n)/, '$1## Unreleased\n\n'];

try {
  // Also valid as an image's tag and at the end of a Kubernetes name.
  if (!/^\d+\.\d+\.\d+(-[a-z0-9]+(\.[a-z0-9]+)*)?$/.test(version))
    throw new ScriptError(
      'Say which version, such as: npm run release-version -- 1.2.3 (or 1.3.0-dev after a release)',
    );
  const before = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  const stated = before.replaceAll('.', '\\.');
  for (const path of manifests()) edit(path, /("version": )"[^"]*"/, `$1"${version}"`);
  edit('package-lock.json', /.*/s, (text) => `${JSON.stringify(relocked(JSON.parse(text)), null, 2)}\n`);
  edit('k8s/overlays/prod/kustomization.yaml', new RegExp(`(newTag: |- version=)${stated}$`, 'gm'), `$1${version}`);
  edit('k8s/README.md', new RegExp(`(parcel-tracking-migrate-)${stated}`, 'g'), `$1${version}`);
  writeFolder(join(root, 'k8s/chart'), chartFiles(root));
  noteChangeDays(root);
  const isDevelopment = version.endsWith('-dev');
  edit(
    'CHANGELOG.md',
    ...(isDevelopment
      ? UNRELEASED_SECTION
      : [/^## Unreleased$/m, `## ${version} (${new Date().toISOString().slice(0, 10)})`]),
  );
  const next = isDevelopment
    ? 'and commit it'
    : `commit it, tag it v${version}, and run \`npm run clients\` before its images are built`;
  process.stdout.write(`${before} → ${version}. Review it (git diff), ${next}.\n`);
} catch (error) {
  fail(error);
}

/** package.json of the root and of every workspace. */
function manifests() {
  const workspaces = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
  );
  return ['package.json', ...workspaces];
}

/** The lockfile has the versions of the workspaces, too; those of other packages are below node_modules. */
function relocked(lock) {
  for (const [path, entry] of Object.entries(lock.packages))
    if (entry.version && !path.includes('node_modules')) entry.version = version;
  return { ...lock, version };
}

function edit(path, pattern, replacement) {
  const file = join(root, path);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(pattern, replacement));
}
