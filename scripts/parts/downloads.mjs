import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CLIENTS, clientsOf, EXAMPLE_URL, MADE_OF, openapiDocument } from '../clients/make.mjs';
import { pack } from '../pack.mjs';
import { ROOT, run } from './lib.mjs';

/** The packages that an installation offers, and those whose sources they contain. */
const PACKAGES = ['client', 'webhook-verifier'];
const CONTAINED = ['contract', 'core'];

const VERIFIER = join(ROOT, 'packages/webhook-verifier');
const VECTORS = join(VERIFIER, 'vectors.json');
/** Files that merchants may copy, by their place in the archive of examples. */
const EXAMPLES = {
  '.': join(ROOT, 'examples'),
  receivers: join(VERIFIER, 'examples'),
  'receivers/verify.ts': join(VERIFIER, 'src/verify.ts'),
  'receivers/sign.sh': join(VERIFIER, 'sign.sh'),
};

/**
 * Packs what the API offers at /downloads: each package under its name and under its name with the version, and their
 * checksums; also the examples, and the clients for other languages, if they have been made (`npm run clients`).
 * Packing takes seconds, so it is done only if the sources have changed.
 * @param tools `put` writes a file atomically; `stateOf` tells whether one has changed
 * @returns the sources that they were made of
 */
export async function buildDownloads(folder, { put, stateOf }) {
  const sources = sourcesOf([...PACKAGES, ...CONTAINED]);
  const state = JSON.stringify(sources.map((path) => [path, stateOf(path)]));
  const stateFile = join(folder, '.inputs.json');
  if (existsSync(stateFile) && readFileSync(stateFile, 'utf8') === state) return sources;
  const stage = mkdtempSync(join(tmpdir(), 'pts-downloads-'));
  try {
    const tarballs = await Promise.all(PACKAGES.map((name) => pack(name, stage)));
    const clients = existsSync(CLIENTS) ? clientsOf(await openapiDocument(EXAMPLE_URL)) : [];
    offer(folder, [...tarballs, ...clients, await packExamples(stage), VECTORS], put);
    put(stateFile, state);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return sources;
}

/** Packs the examples as `pts-examples-1.2.3.tgz`, with everything in one folder `examples`. */
async function packExamples(stage) {
  const folder = join(stage, 'examples');
  for (const [place, from] of Object.entries(EXAMPLES)) cpSync(from, join(folder, place), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const archive = join(stage, `pts-examples-${version}.tgz`);
  await run('tar', ['-czf', archive, '-C', stage, 'examples']);
  return archive;
}

/** Writes archives and their checksums to a folder, and removes what else is there. */
export function offer(folder, archives, put) {
  mkdirSync(folder, { recursive: true });
  const files = archives.flatMap((path) => namesOf(path).map((name) => [name, readFileSync(path)]));
  for (const [name, bytes] of files) put(join(folder, name), bytes);
  put(join(folder, 'SHA256SUMS'), files.map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`).join(''));
  const kept = [...files.map(([name]) => name), 'SHA256SUMS'];
  for (const name of readdirSync(folder)) if (!kept.includes(name)) rmSync(join(folder, name), { force: true });
}

function sourcesOf(packages) {
  const folders = [...packages.map((name) => join('packages', name)), 'examples'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(ROOT.length + 1)
          .replaceAll('\\', '/'),
      )
      .filter((path) => !path.includes('/node_modules/') && !path.includes('/dist/')),
  );
  return [...files, 'scripts/pack.mjs', 'scripts/parts/downloads.mjs', 'package.json', MADE_OF];
}

/** `pts-client-1.2.3.tgz` is also `pts-client.tgz`. */
function namesOf(path) {
  const name = basename(path);
  return [...new Set([name.replace(/-\d.*\.tgz$/, '.tgz'), name])];
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
