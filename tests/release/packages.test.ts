import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@pts/embedded/machine';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/http-server';
import { verify } from '@pts/webhook-verifier/verify';
import { blocksOf, startShell } from '../support/languages/pasted.ts';
import { merchantOf } from '../support/merchant.ts';
import { nodeProgram, otherVersion } from '../support/other-node.ts';
import { ptsOf } from '../support/pts.ts';
import { type Service, startFastService } from '../support/service.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const { PATH, HOME } = process.env;

/** A project outside this repository with only what an installation offers for download. */
let project: string;
let service: Service;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ service, close } = await startFastService('packages', undefined));
  project = realpathSync(mkdtempSync(join(tmpdir(), 'pts-packages-')));
  const packages = ['pts-client', 'pts-webhook-verifier'].map((name) => download(`${name}.tgz`));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'shop', version: '1.0.0', private: true }));
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: project,
    env: { PATH, HOME },
    stdio: 'pipe',
  });
});
afterAll(async () => {
  if (project) rmSync(project, { recursive: true, force: true });
  await close();
});

const download = (name: string) => `${service.ready.base_url}/downloads/${name}`;

test('what is offered has the checksums that are stated, also under its name with the version', async () => {
  const sums = (await (await fetch(download('SHA256SUMS'))).text()).trim().split('\n');
  const names = sums.map((line) => line.slice(66));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const offered = ['pts-client', 'pts-webhook-verifier', 'pts-examples'];
  expect(names).toEqual(expect.arrayContaining(offered.flatMap((name) => [`${name}.tgz`, `${name}-${version}.tgz`])));
  // Clients for other languages are offered if they were made before the build.
  const others = names.filter((name) => !offered.some((one) => [`${one}.tgz`, `${one}-${version}.tgz`].includes(name)));
  expect(others.filter((name) => !/^pts-client-(python|go|php|java)[-.]/.test(name))).toEqual(['vectors.json']);
  for (const [sum, name = ''] of sums.map((line) => line.split('  '))) {
    const bytes = Buffer.from(await (await fetch(download(name))).arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sum);
  }
  const page = await fetch(`${service.ready.base_url}/downloads`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(await page.text()).toContain(`npm install ${download('pts-client.tgz')}`);
  expect((await fetch(download('pts-client-0.0.0.tgz'))).status).toBe(404);
});

test('the examples and the test vectors are those of the repository', async () => {
  const archive = Buffer.from(await (await fetch(download('pts-examples.tgz'))).arrayBuffer());
  execFileSync('tar', ['-xz'], { cwd: project, input: archive });
  for (const [name, source] of [
    ['webhook-push.mjs', 'examples/webhook-push.mjs'],
    ['receivers/express.mjs', 'packages/webhook-verifier/examples/express.mjs'],
    ['receivers/verify.ts', 'packages/webhook-verifier/src/verify.ts'],
  ] as const)
    expect(readFileSync(join(project, 'examples', name), 'utf8')).toBe(readFileSync(join(ROOT, source), 'utf8'));
  const vectors = await fetch(download('vectors.json'));
  expect(vectors.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await vectors.text()).toBe(readFileSync(join(ROOT, 'packages/webhook-verifier/vectors.json'), 'utf8'));
});

/** Meanwhile, this process notices that the service closes idle connections. */
async function run(file: string, args: string[] = []): Promise<string> {
  const program = [file, ...args];
  return (await promisify(execFile)(process.execPath, program, { cwd: project, env: { PATH, HOME } })).stdout;
}

/** The output of a program in the project. */
function play(name: string, program: string): Promise<string> {
  writeFileSync(join(project, name), program);
  return run(join(project, name));
}

/** The compiler's errors for a program in the project; empty if there are none. */
async function compile(program: string, compilerOptions: object): Promise<string> {
  const folder = join(project, 'typed');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mts'), program);
  const options = { strict: true, noEmit: true, skipLibCheck: false, target: 'ES2022', types: [], ...compilerOptions };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['index.mts'] }));
  try {
    return await run(join(ROOT, 'node_modules/typescript/bin/tsc'), ['-p', folder]);
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
])('a JavaScript project %s the installed packages', async (_way, file, header) => {
  expect(await play(file, `${header}${CALLS}`)).toBe('missing_headers\nfalse not_sent\n');
});

test('the errors have their own import path, and are the same classes', async () => {
  const program = `
    import { isApiError } from '@pts/client'; import * as errors from '@pts/client/errors';
    console.log(isApiError === errors.isApiError, errors.ERROR_CODES.quota_exhausted);`;
  expect(await play('errors.mjs', program)).toBe('true 4190\n');
});

const TYPED = `
  import { createClient, isQuotaExhausted, type Push, type Tracking } from '@pts/client';
  import { verify, type Push as VerifiedPush } from '@pts/webhook-verifier';
  const client = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
  const { success } = await client.trackings.get('SF1234567890123');
  const statuses: ('查询中' | '派送中' | '已签收' | '异常')[] = success.map((tracking: Tracking) => tracking.status);
  for await (const shipment of client.shipments.iterate({ status: '派送中' })) statuses.push(shipment.status);
  try { await client.trackings.create({ tracking_number: 'A1' }); } catch (error) { if (isQuotaExhausted(error)) console.log(error.code); }
  const push = verify(new Headers(), '', 'whsec_x');
  export const answer: number = push.ok ? 204 : push.status;
  export const subject = (body: Push | VerifiedPush): string =>
    body.event === 'ping' ? body.data.webhook_id
    : body.event === 'account_notice' ? body.data.notice.text : body.data.tracking_number + body.data.seq;`;

test.each([
  ['NodeNext', { module: 'NodeNext', moduleResolution: 'NodeNext' }],
  ['bundler', { module: 'ESNext', moduleResolution: 'bundler' }],
])('a TypeScript project with %s resolution has full types', async (_name, options) => {
  const lib = ['ES2022', 'DOM', 'DOM.AsyncIterable'];
  expect(await compile(TYPED, { ...options, lib })).toBe('');
  // The types are real: a wrong field, a wrong argument and a wrong status are refused.
  const wrong = `
    import { createClient } from '@pts/client';
    const client = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
    await client.trackings.create({ tracking_number: 1 });
    (await client.account.get()).quota_left;
    client.shipments.list({ status: 'delivering' });`;
  expect((await compile(wrong, { ...options, lib })).match(/error TS\d+/g)).toHaveLength(3);
});

/** What stands for the reader's own things in the samples of a page. */
const OF_THE_READER = `
  import { verify } from '@pts/webhook-verifier';
  import type { EmittedEvent } from '@pts/client';
  declare const numbers: string[];
  declare const linesOfAFile: AsyncIterable<string>;
  declare const file: { write(piece: Uint8Array): void };
  declare function show(...values: unknown[]): void;
  declare function apply(events: readonly EmittedEvent[]): Promise<void>;
  declare let cursor: string;
  declare const [headers, rawBody, secret]: [Headers, Uint8Array, string];`;

test.each(['client', 'webhook-verifier'])('the TypeScript in the README of %s compiles', async (name) => {
  const blocks = blocksOf(`packages/${name}/README.md`, 'ts');
  expect(blocks).not.toHaveLength(0);
  const node = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')], skipLibCheck: true };
  const program = [OF_THE_READER, ...blocks].join('\n');
  expect(await compile(program, { module: 'NodeNext', moduleResolution: 'NodeNext', ...node })).toBe('');
});

test('the receivers in the README of the verifier, and those of the examples, pass the check of the service', async () => {
  const [express = '', nodeHttp = '', ...more] = blocksOf('packages/webhook-verifier/README.md', 'js');
  expect(more).toEqual([]);
  symlinkSync(join(ROOT, 'node_modules/express'), join(project, 'node_modules/express'));
  const header = `import express from 'express';
    import { createServer as create } from 'node:http';
    import { buffer } from 'node:stream/consumers';
    import { verify } from '@pts/webhook-verifier';
    const { PORT, WEBHOOK_SECRET } = process.env;
    const createServer = (handle) => create(handle).listen(PORT, '127.0.0.1');`;
  writeFileSync(
    join(project, 'readme-express.mjs'),
    `${header}\nconst app = express();\n${express}\napp.listen(PORT, '127.0.0.1');`,
  );
  writeFileSync(join(project, 'readme-node.mjs'), `${header}\n${nodeHttp}`);
  const { client } = merchantOf(service);
  for (const file of ['readme-express', 'readme-node', 'examples/receivers/express', 'examples/receivers/node-http']) {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}/hook`;
    const { id, secret } = await client.webhooks.register({ url, events: ['tracking_update'] });
    const env = { PATH, PORT: port, WEBHOOK_SECRET: secret };
    const receiver = spawn(process.execPath, [`${file}.mjs`], {
      cwd: project,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    try {
      await eventually(() => fetch(url));
      const { checks } = await client.webhooks.check(id);
      expect([file, checks.filter(({ passed }) => !passed)]).toEqual([file, []]);
    } finally {
      receiver.kill();
      await once(receiver, 'exit');
      await client.webhooks.delete(id);
    }
  }
});

describe('pts', () => {
  let pts: ReturnType<typeof ptsOf>;
  beforeAll(async () => {
    pts = ptsOf(project);
    const { base_url, api_key } = service.ready;
    const { code, out } = await pts.run(['login', '--url', base_url], `${api_key}\n`);
    expect([code, out]).toEqual([0, expect.stringContaining(`at ${base_url}.`)]);
  });

  test('forwards the events of a story to a receiver on this machine, signed as real pushes are', async () => {
    const receiver = await startReceiver();
    const listening = pts.start(['listen', '--forward-to', receiver.url, '--json']);
    const secret: string = await eventually(() => listening.lines()[0].secret);
    const [parcel, ...news] = await pts.json('trigger', 'delivered', '--follow');
    expect(news.at(-1)).toMatchObject({ data: { id: parcel.id, status: '已签收' } });
    const push = await eventually(() => {
      const found = receiver.requests.find(({ headers }) => headers['x-webhook-event'] === 'tracking_delivered');
      if (!found) throw new Error('not delivered yet');
      return found;
    });
    expect(verify(push.headers, push.rawBody, secret)).toMatchObject({ ok: true });
    listening.interrupt();
    expect(await listening.exit).toBe(0);
    const again = pts.start(['listen', '--replay', '1', '--json']);
    const replayed = await eventually(() => {
      expect(again.lines()).toHaveLength(2);
      return again.lines()[1];
    });
    expect(replayed).toMatchObject({ type: 'event', event: 'tracking_delivered', data: { id: parcel.id } });
    again.interrupt();
    await Promise.all([again.exit, receiver.close()]);
  });

  test('imports a file, lists what it registered, and writes what was rejected', async () => {
    const file = 'Tracking Number,Title\nSBXIMPORTED1,jacket\nSBXIMPORTED2,hat\n!,none\n';
    writeFileSync(join(project, 'orders.csv'), file);
    const unanswered = await pts.run(['import', 'orders.csv']);
    expect([unanswered.code, unanswered.out]).toEqual([2, expect.stringContaining('Quota: 2 units needed')]);
    const { code, out } = await pts.run(['import', 'orders.csv', '--yes', '--rejected', 'rejected.csv']);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('3 rows: 2 new, 0 already registered, 0 updated, 1 rejected'),
    ]);
    expect(readFileSync(join(project, 'rejected.csv'), 'utf8')).toContain('none');
    const listed = await pts.json('shipments', '--q', 'SBXIMPORTED', '--limit', '1', '--all');
    expect(listed.map((one) => one.title).sort()).toEqual(['hat', 'jacket']);
  });

  test('registers a webhook, finds what was delivered and sends it again', async () => {
    const receiver = await startReceiver();
    const [{ id }] = await pts.json('webhooks', 'add', receiver.url);
    expect((await pts.json('webhooks', 'test', id))[0]).toMatchObject({ reachable: true });
    await pts.json('track', `SBXEXPRESS${Date.now()}`);
    const record = await eventually(async () => {
      const [{ items }] = await pts.json('webhooks', 'deliveries', '--webhook', id, '--event', 'tracking_update');
      expect(items).not.toHaveLength(0);
      return items[0];
    });
    expect((await pts.json('webhooks', 'redeliver', record.id))[0]).toMatchObject({ message_id: record.message_id });
    expect((await pts.run(['webhooks', 'delivery', record.id])).out).toContain('X-Webhook-Signature: t=');
    await pts.json('webhooks', 'remove', id);
    expect((await pts.run(['track', 'SBXNONE1', '--no-register'])).code).toBe(5);
    await receiver.close();
  });

  test(`runs on Node ${otherVersion()}, too`, async () => {
    const node = await nodeProgram(otherVersion());
    const args = [join(project, 'node_modules/@pts/client/dist/pts.js'), 'whoami', '--json'];
    const out = execFileSync(node, args, { cwd: project, env: { PATH, HOME: project }, encoding: 'utf8' });
    expect(JSON.parse(out)).toMatchObject({ url: service.ready.base_url, quota: { plan: expect.any(String) } });
  });
});

test('the page of the first push works when pasted into a shell with an empty home, a key and nothing else', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'pts-home-')));
  const { base_url } = service.ready;
  const { key } = await merchantOf(service).client.keys.create({
    name: 'first push',
    test: true,
    scopes: ['read', 'write'],
  });
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  const env = { PATH, HOME: home, BASE_URL: base_url, API_KEY: key, PORT: String(await freePort()), ...quiet };
  const shell = startShell(home, env);
  const [
    stream = '',
    stopStream = '',
    install = '',
    register = '',
    write = '',
    listen = '',
    trigger = '',
    spoil = '',
    end = '',
  ] = blocksOf('docs/first-push.md');
  const step = async (name: string, commands: string) => {
    const { code, output } = await shell.paste(commands);
    expect([name, code, output]).toEqual([name, 0, expect.anything()]);
    return output;
  };
  const shown = (text: RegExp) => eventually(() => expect(shell.output()).toMatch(text));
  try {
    await step('stream', stream);
    await shown(/^event: tracking_update\ndata: \{.*SBXEXPRESS\d+/m);
    await step('stop the stream', stopStream);
    expect(await step('install', install)).toContain(`at ${base_url}.`);
    expect(await step('register', register)).toMatch(/^SBXEXPRESS\d+ sandbox 查询中$/m);
    await step('write', write);
    await step('listen', listen);
    await shown(/^Signing secret: whsec_/m);
    await step('trigger', trigger);
    await shown(/^received tracking_update: SBXEXPRESS\d+ is /m);
    await shown(/ tracking_update {5}SBXEXPRESS\d+ {2}.* -> 204 in \d+ ms$/m);
    await step('spoil', spoil);
    const guide = `${base_url}/docs/receivers#why-a-push-is-refused`;
    await shown(/ -> 401 in \d+ ms: the service would retry\n {10}signature_mismatch\n {10}See /);
    expect(shell.output()).toContain(`See ${guide}\n`);
    const [page = '', anchor = ''] = guide.split('#');
    const text = await (await fetch(page)).text();
    expect(text.slice(text.indexOf(`id="${anchor}"`))).toMatch(/<code>signature_mismatch<\/code>/);
    await step('end', end);
  } finally {
    await shell.close();
    rmSync(home, { recursive: true, force: true });
  }
});
