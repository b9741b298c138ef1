import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSecret, pushHeaders } from '@pts/core/webhook/push';
import { serve } from '@pts/testing/http-server';
import express from 'express';
import { apiDocument } from '../../apps/api/src/endpoints/index.ts';
import { readDownloads } from '../../apps/api/src/site/files.ts';
import { downloadsRouter } from '../../apps/api/src/site/routers.ts';
import { testWith } from '../support/languages/languages.ts';
import { findPhp } from '../support/languages/php.ts';
import { failing, OPENAPI_GENERATOR, shell } from '../support/languages/shell.ts';
import { type Service, startFastService } from '../support/service.ts';

const at = (path: string) => join(import.meta.dirname, path);
const docs = readFileSync(at('../../docs/clients.md'), 'utf8');
const EXAMPLE_URL = 'https://api.example.com';
const CACHE = at('../../.cache/clients');
/** Apart from those that a build would offer. */
const CACHED = join(CACHE, 'made');
const SECRET = newSecret(Buffer.alloc(32, 7));

/** The build scripts are JavaScript. */
type Clients = { makeClients(document: string, folder: string): Promise<string[]> };
type Downloads = { offer(folder: string, archives: string[], put: typeof writeFileSync): void };

type Language = {
  name: string;
  title: string;
  /** Commands that succeed if the language and what its client needs can be had. */
  probes: string[];
  file: string;
  harness: string;
  /** What is run in place of the lines of the page that would change the user's own machine. */
  install?: string;
  /** Compiles the program; without it, `run` does. */
  compile?: string;
  run: string;
  /** What the verification of pushes prints: the status for one, and for one whose body was changed. */
  verifies?: string;
};

const LANGUAGES: Language[] = [
  {
    name: 'python',
    title: 'Python',
    probes: [
      'python3 -c "import sys; sys.exit(sys.version_info < (3, 10))"',
      'python3 -m pip index versions --disable-pip-version-check standardwebhooks',
    ],
    file: 'shop.py',
    harness: 'harness.py',
    install: `python3 -m pip install --quiet --no-compile --disable-pip-version-check --root-user-action ignore --target . ${EXAMPLE_URL}/downloads/pts-client-python.tgz`,
    run: 'python3 harness.py',
  },
  {
    name: 'go',
    title: 'Go',
    probes: ['go version', 'go list -m -versions github.com/standard-webhooks/standard-webhooks/libraries'],
    file: 'shop.go',
    harness: 'harness.go',
    compile: "go build -gcflags='pts.example/client=-N -l' -o shop .",
    run: './shop',
  },
  {
    name: 'php',
    title: 'PHP',
    probes: [
      'php -r "exit(extension_loaded(\'curl\') ? 0 : 1);"',
      'composer show --no-interaction --all guzzlehttp/guzzle',
    ],
    file: 'shop.php',
    harness: 'harness.php',
    run: 'php harness.php',
  },
  {
    name: 'java',
    title: 'Java',
    probes: ['javac --version', 'mvn --version'],
    file: 'Shop.java',
    harness: 'Harness.java',
    install: `curl -sS ${EXAMPLE_URL}/downloads/pts-client-java.tgz | tar -xz
cp Shop.java Harness.java pts-client-java/src/main/java/
mvn -q -B -f pts-client-java compile dependency:copy-dependencies`,
    run: 'java -cp "pts-client-java/target/classes:pts-client-java/target/dependency/*" Harness',
  },
];

/**
 * Where Packagist cannot be reached: without the library of Standard Webhooks, and with the Guzzle of the system's PHP.
 */
const php = await findPhp();
const PHP = php.command.map((part) => `'${part}'`).join(' ');
const PHP_WITHOUT_PACKAGIST: Language = {
  name: 'php',
  title: 'PHP',
  probes: [`${PHP || false} -r 'require "GuzzleHttp/autoload.php";'`],
  file: 'shop.php',
  harness: 'harness.php',
  install: `curl -sS ${EXAMPLE_URL}/downloads/pts-client-php.tgz | tar -xz
mkdir vendor
cp ${at('../support/clients/autoload.php')} vendor/autoload.php`,
  run: `${PHP} harness.php`,
  verifies: 'no library',
};

const missing = ({ probes }: Pick<Language, 'probes'>) => failing(probes);
const noGenerator = failing(OPENAPI_GENERATOR);

/** The blocks of a section of the page: its lines for installing, and its program. */
function blocksOf({ name, title }: Pick<Language, 'name' | 'title'>): { install: string; program: string } {
  const [, section = ''] = new RegExp(`^## ${title}$(.*?)^## `, 'ms').exec(docs) ?? [];
  const block = (code: string) => new RegExp(`^\`\`\`${code}\\n(.*?)^\`\`\``, 'ms').exec(section)?.[1] ?? '';
  return { install: block('text'), program: block(name) };
}

/** Where the installation offers its packages. */
let downloads: { url: string; close(): Promise<void> };
let service: Service;
let close: () => Promise<void>;
beforeAll(async () => {
  if (noGenerator) return;
  const { makeClients } = (await import(at('../../scripts/clients/make.mjs'))) as Clients;
  const { offer } = (await import(at('../../scripts/parts/downloads.mjs'))) as Downloads;
  const document = apiDocument(EXAMPLE_URL);
  const folder = mkdtempSync(join(tmpdir(), 'pts-generated-'));
  offer(folder, await makeClients(JSON.stringify(document), CACHED), writeFileSync);
  const offered = readDownloads(folder);
  rmSync(folder, { recursive: true, force: true });
  if (!offered) throw new Error('nothing is offered');
  const app = express();
  app.use(downloadsRouter(offered, document.info.version, undefined));
  downloads = await serve(app);
  ({ service, close } = await startFastService('clients', undefined));
}, 600_000);
afterAll(async () => {
  await downloads?.close();
  await close?.();
});

/**
 * The program of the page, with its client. Packages and compilers take a minute, so what was made of the same parts
 * stays on this machine.
 */
async function builtProgram({ install, compile, run, harness, file, name, title }: Language): Promise<string> {
  const { install: documented, program } = blocksOf({ name, title });
  const parts = [readFileSync(join(CACHED, 'made-of.sha256')), readFileSync(at(`../support/clients/${harness}`))];
  const digest = createHash('sha256')
    .update([...parts, documented, program, install, compile, run].join('\0'))
    .digest('hex');
  const built = join(CACHE, `${name}-${digest}`);
  if (existsSync(built)) return built;
  for (const old of readdirSync(CACHE)) if (old.startsWith(`${name}-`)) rmSync(join(CACHE, old), { recursive: true });
  const cwd = mkdtempSync(join(CACHE, `${name}-`));
  writeFileSync(join(cwd, file), program);
  copyFileSync(at(`../support/clients/${harness}`), join(cwd, harness));
  if (name === 'go') writeFileSync(join(cwd, 'go.mod'), 'module shop\n\ngo 1.23\n');
  await shell((install ?? documented).replaceAll(EXAMPLE_URL, downloads.url), cwd);
  if (compile) await shell(compile, cwd);
  renameSync(cwd, built);
  return built;
}

for (const known of LANGUAGES) {
  const lacks = noGenerator ?? missing(known);
  const isPart = !noGenerator && lacks !== undefined && known.name === 'php' && !missing(PHP_WITHOUT_PACKAGIST);
  const language = isPart ? PHP_WITHOUT_PACKAGIST : known;
  const { name, title, verifies = '204 401' } = language;
  const promise = isPart
    ? `the ${title} client registers, reads, pages and reports errors; its verification of pushes is NOT RUN, because this fails: ${lacks}`
    : `the ${title} client is installed from /downloads, registers, reads, pages, reports errors and verifies pushes`;
  testWith(
    name,
    lacks === undefined || isPart ? undefined : `this fails: ${lacks}`,
    promise,
    async () => {
      const cwd = await builtProgram(language);
      const body = '{"event":"ping","data":{"note":"快递 ü"}}';
      const sentAt = new Date();
      const push = pushHeaders({ messageId: 'msg_1', event: 'ping', attempt: 1, body, secrets: [SECRET], sentAt });
      const prefix = `SBX${name.toUpperCase()}${Date.now()}`;
      const numbers = [`${prefix}1`, `${prefix}2`];
      const { base_url, api_key } = service.ready;
      const output = await shell(language.run, cwd, {
        ...{ BASE_URL: base_url, API_KEY: api_key, PREFIX: prefix, NUMBERS: numbers.join(',') },
        ...{ WEBHOOK_SECRET: SECRET, BODY: body },
        WEBHOOK_ID: push['webhook-id'] ?? '',
        WEBHOOK_TIMESTAMP: push['webhook-timestamp'] ?? '',
        WEBHOOK_SIGNATURE: push['webhook-signature'] ?? '',
      });
      const [read, listed = '', refused, verified] = output.trim().split('\n');
      expect([read, listed.split(',').sort(), refused, verified]).toEqual([
        numbers[0],
        numbers,
        `4110: ${base_url}/docs/errors/4110`,
        verifies,
      ]);
    },
    600_000,
  );
  test(`the page of the ${title} client installs it from /downloads, and has a receiver`, () => {
    const { install, program } = blocksOf(language);
    expect(install).toContain(`${EXAMPLE_URL}/downloads/pts-client-${name}.tgz`);
    expect(program).toMatch(/receive/);
  });
}
