// The clients for other languages: generated from the OpenAPI document by OpenAPI Generator, with manifests of our own
// (manifests/), and packed as source archives that the package manager of each language installs.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { loadModule } from '../parts/bundling/builds.mjs';
import { ROOT, run } from '../parts/lib.mjs';
import { installOpenApiGenerator } from './generators.mjs';

/** Where they are kept. The build of an image has this folder, but neither Java nor .cache. */
export const CLIENTS = join(ROOT, 'apps/api/clients');
/** The file there that tells what they were made of. */
export const MADE_OF = 'apps/api/clients/made-of.sha256';
const MANIFESTS = join(ROOT, 'scripts/clients/manifests');
/** The address in the document of the clients; each call states its own. */
export const EXAMPLE_URL = 'https://api.example.com';
const STATE = basename(MADE_OF);
const VERSION = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

/** Each one: the settings of its generator, its manifest, and what is kept of the generated code. */
const LANGUAGES = {
  python: {
    settings: { packageName: 'pts_client', packageVersion: VERSION },
    manifest: 'pyproject.toml',
    /** PEP 440 has another form for versions under development. */
    version: VERSION.replace('-dev', '.dev0'),
    kept: (path) => path.startsWith('pts_client'),
  },
  go: {
    settings: { packageName: 'pts', withGoMod: false },
    manifest: 'go.mod',
    kept: (path) => /^\w+\.go$/.test(path),
  },
  php: {
    settings: { invokerPackage: 'Pts\\Client' },
    manifest: 'composer.json',
    kept: (path) => path.startsWith('lib'),
  },
  java: {
    settings: {
      library: 'native',
      invokerPackage: 'pts.client',
      apiPackage: 'pts.client.api',
      modelPackage: 'pts.client.model',
    },
    manifest: 'pom.xml',
    kept: (path) => path.startsWith('src') && !path.startsWith(join('src', 'test')),
  },
};

/** The OpenAPI document of this checkout, as JSON. @param baseUrl the address that it states */
export async function openapiDocument(baseUrl) {
  const { module } = await loadModule('apps/api/src/endpoints/index.ts');
  return JSON.stringify(module.apiDocument(baseUrl));
}

/** A fingerprint of everything that the clients of a document are made of. */
function stateOf(document) {
  const manifests = Object.values(LANGUAGES).map(({ manifest }) => join(MANIFESTS, manifest));
  const programs = ['make.mjs', 'generators.mjs'].map((name) => join(import.meta.dirname, name));
  const parts = [document, ...[...programs, ...manifests].map((path) => readFileSync(path, 'utf8'))];
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}

/** The archives of the clients of a document, if they have been made. */
export function clientsOf(document, folder = CLIENTS) {
  const state = join(folder, STATE);
  if (!existsSync(state) || readFileSync(state, 'utf8') !== stateOf(document)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(folder, name));
}

/** Makes the clients of a document, unless they are there. Needs Java. @returns their archives */
export async function makeClients(document, folder = CLIENTS) {
  const known = clientsOf(document, folder);
  if (known.length > 0) return known;
  const jar = await installOpenApiGenerator();
  const stage = mkdtempSync(join(tmpdir(), 'pts-clients-'));
  try {
    await generate(jar, document, stage);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const language of Object.keys(LANGUAGES)) await packClient(language, stage, folder);
    writeFileSync(join(folder, STATE), stateOf(document));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return clientsOf(document, folder);
}

/** One run for all languages: starting Java and reading the document takes longer than writing the code. */
async function generate([command, ...args], document, stage) {
  const spec = join(stage, 'openapi.json');
  writeFileSync(spec, document);
  const configs = Object.entries(LANGUAGES).map(([language, { settings }]) => {
    const config = join(stage, `${language}.json`);
    const outputDir = join(stage, 'made', language);
    const content = { generatorName: language, inputSpec: spec, outputDir, additionalProperties: settings };
    writeFileSync(config, JSON.stringify(content));
    return config;
  });
  await run(command, ['-XX:TieredStopAtLevel=1', ...args, 'batch', '--threads', '1', ...configs]);
}

/** Packs a client as `pts-client-go-1.2.3.tgz`, with everything in one folder `pts-client-go`. */
async function packClient(language, stage, folder) {
  const { manifest, version = VERSION, kept } = LANGUAGES[language];
  const name = `pts-client-${language}`;
  const from = join(stage, 'made', language);
  const to = join(stage, 'packed', name);
  cpSync(from, to, { recursive: true, filter: (path) => path === from || kept(path.slice(from.length + 1)) });
  const text = readFileSync(join(MANIFESTS, manifest), 'utf8').replaceAll('@VERSION@', version);
  writeFileSync(join(to, manifest), text);
  await run('tar', ['-czf', join(folder, `${name}-${VERSION}.tgz`), '-C', join(stage, 'packed'), name]);
}
