import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@pts/testing/eventually';
import { testWith } from '../support/languages/languages.ts';
import { failing, OPENAPI_GENERATOR, shell } from '../support/languages/shell.ts';
import { merchantOf } from '../support/merchant.ts';
import { type Service, startFastService } from '../support/service.ts';

const at = (path: string) => join(import.meta.dirname, '../..', path);
const SOURCES = at('tests/support/clients');
const CACHE = at('.cache/generated');

/** The build scripts are JavaScript. */
const { installOpenApiGenerator } = (await import(at('scripts/clients/generators.mjs'))) as {
  installOpenApiGenerator(): Promise<string[]>;
};

type Generator = {
  name: string;
  language: string;
  /** Commands that succeed if it can be had. */
  probes: string[];
  /** Installs it into an empty folder, which stays on this machine. */
  tools: string;
  /** Generates a client from `openapi.json`, and compiles it with the program. `$TOOLS` is the folder above. */
  build: string;
  run: string;
};

function typescript(name: string, packages: string, generate: string): Generator {
  return {
    name,
    language: 'typescript',
    probes: ['npm ping'],
    tools: `echo '{}' > package.json
npm install --silent --no-audit --no-fund ${packages} typescript@5.9.3 @types/node@20 esbuild@0.28.2`,
    build: `ln -s $TOOLS/node_modules node_modules
export PATH="$PWD/node_modules/.bin:$PATH"
${generate}
cp $SOURCES/typescript/{harness,${name}}.ts .
tsc --noEmit --strict --skipLibCheck --target ES2022 --module ESNext --moduleResolution bundler --types node \\
  --lib ES2022,DOM,DOM.Iterable --allowImportingTsExtensions ${name}.ts
esbuild ${name}.ts --bundle --platform=node --format=esm --outfile=harness.mjs --log-level=warning`,
    run: 'node harness.mjs',
  };
}

const GENERATORS: Generator[] = [
  typescript(
    'openapi-typescript',
    'openapi-typescript@7.13.0 openapi-fetch@0.17.0',
    'openapi-typescript openapi.json -o client/api.ts',
  ),
  typescript('hey-api', '@hey-api/openapi-ts@0.99.0', 'openapi-ts -i openapi.json -o client -c @hey-api/client-fetch'),
  typescript('orval', 'orval@8.38.0', 'orval --input openapi.json --output client/api.ts --client fetch'),
  typescript(
    'kubb',
    ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'].map((part) => `@kubb/${part}@4.39.3`).join(' '),
    `cat > kubb.config.mjs <<'END'
import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
export default defineConfig({
  input: { path: './openapi.json' },
  output: { path: './client' },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: 'fetch' })],
});
END
kubb generate`,
  ),
  {
    name: 'openapi-python-client',
    language: 'python',
    probes: ['python3 -c "import sys; sys.exit(sys.version_info < (3, 11))"', 'python3 -m pip --version'],
    tools: `python3 -m venv .
bin/pip install --quiet --disable-pip-version-check openapi-python-client==0.29.1 mypy==2.4.1`,
    build: `$TOOLS/bin/openapi-python-client generate --path openapi.json --output-path client --meta none
$TOOLS/bin/mypy --strict client
cp $SOURCES/openapi_python_client.py harness.py`,
    run: '$TOOLS/bin/python harness.py',
  },
  {
    name: 'oapi-codegen',
    language: 'go',
    probes: ['go version', 'go list -m github.com/oapi-codegen/oapi-codegen/v2@v2.8.2'],
    tools: 'GOBIN=$PWD go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
    build: `mkdir client
$TOOLS/oapi-codegen -package client -generate types,client -o client/client.go openapi.json
printf 'module harness\\n\\ngo 1.23\\n' > go.mod
cp $SOURCES/oapi-codegen.go main.go
go mod tidy
go build -gcflags='harness/client=-N -l' -o harness .`,
    run: './harness',
  },
  {
    name: 'OpenAPI Generator, Rust',
    language: 'rust',
    probes: [...OPENAPI_GENERATOR, 'cargo --version', 'cargo info serde'],
    tools: 'true',
    build: `$OPENAPI_GENERATOR generate -g rust -i openapi.json -o . --additional-properties=packageName=pts
sed -i '/^reqwest = /a tokio = { version = "^1", features = ["macros", "rt"] }' Cargo.toml
mkdir src/bin
cp $SOURCES/harness.rs src/bin/harness.rs
CARGO_TARGET_DIR=$TOOLS/target cargo build --quiet --bin harness
cp $TOOLS/target/debug/harness harness`,
    run: './harness',
  },
  {
    name: 'OpenAPI Generator, Kotlin',
    language: 'kotlin',
    probes: [...OPENAPI_GENERATOR, 'mvn --version'],
    tools: 'true',
    build: `$OPENAPI_GENERATOR generate -g kotlin -i openapi.json -o . --additional-properties=packageName=pts.client
cp $SOURCES/kotlin-pom.xml pom.xml
cp $SOURCES/Harness.kt src/main/kotlin/
mvn -q -B compile dependency:copy-dependencies`,
    run: 'java -cp "target/classes:target/dependency/*" HarnessKt',
  },
];

let service: Service;
let close: () => Promise<void>;
/** What every program is given, and what it has to print about it. */
let given: Record<string, string>;
let printed: string[];
/** As the installation serves it, at an address that stays the same. */
let document: string;

beforeAll(async () => {
  ({ service, close } = await startFastService('generators', undefined));
  const { base_url, api_key } = service.ready;
  const { client } = merchantOf(service);
  const { id, tracking_number } = await client.trackings.create('SBXREAD00001');
  const time = await eventually(async () => {
    const [first] = (await client.trackings.one(id)).events;
    if (!first) throw new Error('it has no events yet');
    return first.time;
  });
  const served = await (await fetch(`${base_url}/openapi.json`)).text();
  document = served.replaceAll(base_url, 'https://api.example.com');
  const { post } = JSON.parse(document).webhooks.tracking_delivered;
  const push = post.requestBody.content['application/json'].example;
  given = { BASE_URL: base_url, API_KEY: api_key, PARCEL_ID: id, PUSH: JSON.stringify(push) };
  const refused = `4110: ${base_url}/docs/errors/4110`;
  printed = [`${tracking_number} ${time}`, '1', refused, `${push.event} ${push.data.tracking_number}`];
}, 300_000);
afterAll(() => close?.());

const digestOf = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);

/** A folder that a command has filled, perhaps in an earlier run. */
async function filled(name: string, digest: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(CACHE, `${name}-${digest}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  for (const old of readdirSync(CACHE)) if (old.startsWith(`${name}-`)) rmSync(join(CACHE, old), { recursive: true });
  // Virtual environments of Python cannot be moved, so the folder has its name from the beginning.
  mkdirSync(folder);
  await fill(folder).catch((error) => {
    rmSync(folder, { recursive: true });
    throw error;
  });
  return folder;
}

for (const { name, language, probes, tools, build, run } of GENERATORS) {
  const lacks = failing(probes);
  testWith(
    language,
    lacks && `this fails: ${lacks}`,
    `${name}: its client registers, reads, pages, previews, gets an error and reads a push`,
    async () => {
      const folder = name.replaceAll(/\W+/g, '-');
      const TOOLS = await filled(`tools-${folder}`, digestOf(tools), (cwd) => shell(tools, cwd));
      const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
      const cwd = await filled(`client-${folder}`, digestOf(document, build, ...sources), async (fresh) => {
        writeFileSync(join(fresh, 'openapi.json'), document);
        const OPENAPI_GENERATOR = build.includes('$OPENAPI_GENERATOR')
          ? (await installOpenApiGenerator()).join(' ')
          : '';
        await shell(build, fresh, { TOOLS, SOURCES, OPENAPI_GENERATOR });
      });
      const prefix = `SBX${folder
        .toUpperCase()
        .replaceAll(/[^A-Z]/g, '')
        .slice(0, 20)}${Date.now()}`;
      const numbers = [`${prefix}1`, `${prefix}2`];
      const own = { PREFIX: prefix, NUMBERS: numbers.join(','), NEW_NUMBER: `${prefix}3` };
      const output = await shell(run, cwd, { ...given, ...own, TOOLS });
      const [read, ...rest] = printed;
      expect(output.trim().split('\n')).toEqual([read, numbers.join(','), ...rest]);
    },
    1_800_000,
  );
}
