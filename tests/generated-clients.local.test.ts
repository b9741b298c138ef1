import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pushHeaders } from '@pts/core/webhook/headers';
import { newSecret } from '@pts/core/webhook/signature';
import { serve } from '@pts/testing/http-server';
import express from 'express';
import { readDownloads } from '../apps/api/src/downloads/files.ts';
import { downloadsRouter } from '../apps/api/src/downloads/router.ts';
import { apiDocument } from '../apps/api/src/reference/operations.ts';
import { testWith } from './support/languages.ts';

const at = (path: string) => join(import.meta.dirname, path);
const docs = readFileSync(at('../docs/clients.md'), 'utf8');
const EXAMPLE_URL = 'https://api.example.com';
const KEY = `tk_${'0'.repeat(48)}`;
/** Apart from those that a build would offer. */
const CACHED = at('../.cache/clients/made');
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
  run: string;
  /** What the program prints: units left, the status for a push, and that for one whose body was changed. */
  prints?: number[];
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
    run: "go run -gcflags='pts.example/client=-N -l' .",
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

/** Where Packagist cannot be reached: without the library of Standard Webhooks, and with the system's own Guzzle. */
const PHP_WITHOUT_PACKAGIST: Language = {
  name: 'php',
  title: 'PHP',
  probes: ['php -r "exit(extension_loaded(\'curl\') ? 0 : 1);"', 'test -f /usr/share/php/GuzzleHttp/autoload.php'],
  file: 'shop.php',
  harness: 'harness.php',
  install: `curl -sS ${EXAMPLE_URL}/downloads/pts-client-php.tgz | tar -xz
mkdir vendor
cp ${at('support/clients/autoload.php')} vendor/autoload.php`,
  run: `php -r 'require "shop.php"; echo units_left();'`,
  prints: [9958],
};

/** What OpenAPI Generator needs: it is fetched from there. */
const GENERATOR = {
  probes: [
    'java --version',
    'curl -sfI https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/maven-metadata.xml',
  ],
};
const missing = ({ probes }: Pick<Language, 'probes'>) =>
  probes.find((probe) => spawnSync('sh', ['-c', probe], { cwd: tmpdir(), timeout: 60_000 }).status !== 0);
const noGenerator = missing(GENERATOR);

/** The blocks of a section of the page: its lines for installing, and its program. */
function blocksOf({ name, title }: Pick<Language, 'name' | 'title'>): { install: string; program: string } {
  const [, section = ''] = new RegExp(`^## ${title}$(.*?)^## `, 'ms').exec(docs) ?? [];
  const block = (code: string) => new RegExp(`^\`\`\`${code}\\n(.*?)^\`\`\``, 'ms').exec(section)?.[1] ?? '';
  return { install: block('text'), program: block(name) };
}

let folder: string;
let server: { url: string; close(): Promise<void> };
/** Where the installation offers its packages, and answers a call. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pts-generated-'));
  if (noGenerator) return;
  const { makeClients } = (await import(at('../scripts/clients/make.mjs'))) as Clients;
  const { offer } = (await import(at('../scripts/parts/downloads.mjs'))) as Downloads;
  const document = apiDocument(EXAMPLE_URL);
  offer(join(folder, 'downloads'), await makeClients(JSON.stringify(document), CACHED), writeFileSync);
  const downloads = readDownloads(join(folder, 'downloads'));
  if (!downloads) throw new Error('nothing is offered');
  const { paths } = JSON.parse(JSON.stringify(document));
  const { example } = paths['/account'].get.responses['200'].content['application/json'];
  const app = express();
  app.use(downloadsRouter(downloads, document.info.version, undefined));
  app.get('/api/v1/account', (request, response) => {
    response.status(request.get('X-API-Key') === KEY ? 200 : 401).json(example);
  });
  server = await serve(app);
}, 600_000);
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Compilers that run once need not optimize themselves. */
const QUICK = { MAVEN_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };

/** Runs a command of a user, in a folder of its own. */
function shell(command: string, cwd: string, more: Record<string, string> = {}): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn('bash', ['-c', `set -euo pipefail\n${command}`], {
      cwd,
      env: { ...process.env, ...QUICK, ...more },
    });
    let [output, faults] = ['', ''];
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      faults += chunk;
    });
    child.on('error', fail);
    child.on('close', (code) => (code === 0 ? done(output) : fail(new Error(`${command}\n${output}${faults}`))));
  });
}

/** A file that exists if the same client has passed the same steps on this machine: packages and compilers take a minute. */
function proofOf({ install: steps, run, harness, name, title }: Language): string {
  const { install, program } = blocksOf({ name, title });
  const parts = [readFileSync(join(CACHED, 'made-of.sha256')), readFileSync(at(`support/clients/${harness}`))];
  const digest = createHash('sha256')
    .update([...parts, install, program, steps, run].join('\0'))
    .digest('hex');
  return at(`../.cache/clients/${name}-${digest}`);
}

const here = (text: string) => text.replaceAll(EXAMPLE_URL, server.url);

for (const known of LANGUAGES) {
  const lacks = noGenerator ?? missing(known);
  const isPart = !noGenerator && lacks !== undefined && known.name === 'php' && !missing(PHP_WITHOUT_PACKAGIST);
  const language = isPart ? PHP_WITHOUT_PACKAGIST : known;
  const { name, title, prints = [9958, 204, 401] } = language;
  const { install, program } = blocksOf(language);
  const promise = isPart
    ? `the ${title} client makes a call; its verification of pushes is NOT RUN, because this fails: ${lacks}`
    : `the ${title} client is installed from /downloads, makes a call and verifies pushes, as its page shows`;
  testWith(
    name,
    lacks === undefined || isPart ? undefined : `this fails: ${lacks}`,
    promise,
    async () => {
      const proof = proofOf(language);
      if (existsSync(proof)) return;
      const cwd = join(folder, name);
      mkdirSync(cwd);
      writeFileSync(join(cwd, language.file), program);
      copyFileSync(at(`support/clients/${language.harness}`), join(cwd, language.harness));
      if (name === 'go') writeFileSync(join(cwd, 'go.mod'), 'module shop\n\ngo 1.23\n');
      await shell(here(language.install ?? install), cwd);
      const body = '{"event":"ping","data":{"note":"快递 ü"}}';
      const sentAt = new Date();
      const push = pushHeaders({ messageId: 'msg_1', event: 'ping', attempt: 1, body, secrets: [SECRET], sentAt });
      const output = await shell(language.run, cwd, {
        ...{ BASE_URL: server.url, API_KEY: KEY, WEBHOOK_SECRET: SECRET, BODY: body },
        WEBHOOK_ID: push['webhook-id'] ?? '',
        WEBHOOK_TIMESTAMP: push['webhook-timestamp'] ?? '',
        WEBHOOK_SIGNATURE: push['webhook-signature'] ?? '',
      });
      expect(output.trim().split(' ').map(Number)).toEqual(prints);
      mkdirSync(dirname(proof), { recursive: true });
      writeFileSync(proof, '');
    },
    600_000,
  );
  test(`the page of the ${title} client installs it from /downloads, and has a receiver`, () => {
    expect(install).toContain(`${EXAMPLE_URL}/downloads/pts-client-${name}.tgz`);
    expect(program).toMatch(/receive/);
  });
}
