import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const { PATH, HOME } = process.env;

/** A project outside this repository with only the tarballs of both packages installed. */
let project: string;

beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'pts-packages-')));
  const packs = ['client', 'webhook-verifier'].map((name) =>
    run(join(ROOT, 'scripts/pack.mjs'), [name, '--out', join(project, 'packs')]).trim(),
  );
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'shop', version: '1.0.0', private: true }));
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...packs], {
    cwd: project,
    env: { PATH, HOME },
    stdio: 'pipe',
  });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function run(file: string, args: string[] = []): string {
  return execFileSync(process.execPath, [file, ...args], {
    cwd: project,
    env: { PATH, HOME },
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** The output of a program in the project. */
function play(name: string, program: string): string {
  writeFileSync(join(project, name), program);
  return run(join(project, name));
}

/** The compiler's errors for a program in the project; empty if there are none. */
function compile(program: string, compilerOptions: object): string {
  const folder = join(project, 'typed');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mts'), program);
  const options = { strict: true, noEmit: true, skipLibCheck: false, target: 'ES2022', types: [], ...compilerOptions };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['index.mts'] }));
  try {
    return run(join(ROOT, 'node_modules/typescript/bin/tsc'), ['-p', folder]);
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

const CALLS = `
  const client = createClient({ baseUrl: 'http://127.0.0.1:2', apiKey: 'tk_1', maxRetries: 0 });
  client.auth.me().catch((error) => console.log(isApiError(error), error.reason));
  console.log(verify({}, '{}', 'whsec_x').reason);`;

test.each([
  [
    'imports',
    'shop.mjs',
    `import { createClient, isApiError } from '@pts/client'; import { verify } from '@pts/webhook-verifier';`,
  ],
  [
    'requires',
    'shop.cjs',
    `const { createClient, isApiError } = require('@pts/client'); const { verify } = require('@pts/webhook-verifier');`,
  ],
])('a JavaScript project %s the installed packages', (_way, file, header) => {
  expect(play(file, `${header}${CALLS}`)).toBe('missing_headers\nfalse not_sent\n');
});

test('the errors have their own import path, and are the same classes', () => {
  const program = `
    import { isApiError } from '@pts/client'; import * as errors from '@pts/client/errors';
    console.log(isApiError === errors.isApiError, errors.ERROR_CODES.quota_exhausted);`;
  expect(play('errors.mjs', program)).toBe('true 4190\n');
});

const TYPED = `
  import { createClient, isQuotaExhausted, type Tracking } from '@pts/client';
  import { verify } from '@pts/webhook-verifier';
  const client = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
  const { success } = await client.trackings.get('SF1234567890123');
  const statuses: ('查询中' | '派送中' | '已签收' | '异常')[] = success.map((tracking: Tracking) => tracking.status);
  for await (const shipment of client.shipments.iterate({ status: '派送中' })) statuses.push(shipment.status);
  try { await client.trackings.create({ tracking_number: 'A1' }); } catch (error) { if (isQuotaExhausted(error)) console.log(error.code); }
  const push = verify(new Headers(), '', 'whsec_x');
  export const answer: number = push.ok ? 204 : push.status;`;

test.each([
  ['NodeNext', { module: 'NodeNext', moduleResolution: 'NodeNext' }],
  ['bundler', { module: 'ESNext', moduleResolution: 'bundler' }],
])('a TypeScript project with %s resolution has full types', (_name, options) => {
  const lib = ['ES2022', 'DOM', 'DOM.AsyncIterable'];
  expect(compile(TYPED, { ...options, lib })).toBe('');
  // The types are real: a wrong field, a wrong argument and a wrong status are refused.
  const wrong = `
    import { createClient } from '@pts/client';
    const client = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
    await client.trackings.create({ tracking_number: 1 });
    (await client.account.get()).quota_left;
    client.shipments.list({ status: 'delivering' });`;
  expect(compile(wrong, { ...options, lib }).match(/error TS\d+/g)).toHaveLength(3);
});
