import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllowList } from '@pts/core/address/address-policy';
import { newSecret } from '@pts/core/webhook/signature';
import { checkReceiver } from '@pts/egress/check-receiver';
import { createSender } from '@pts/egress/send';

const PACKAGE = resolve(fileURLToPath(import.meta.url), '../..');
const ROOT = resolve(PACKAGE, '../..');
const SECRET = newSecret(new Uint8Array(32).fill(1));
const ID = '69a463e0a1b2c3d4e5f60718';

let project: string;

// A project that installed the packed package, as a receiver's would.
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'pts-verifier-')));
  const pack = [join(ROOT, 'scripts/pack.mjs'), 'webhook-verifier', '--out', project];
  const tarball = execFileSync(process.execPath, pack, { encoding: 'utf8', stdio: 'pipe' }).trim();
  const installed = join(project, 'node_modules/@pts/webhook-verifier');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  symlinkSync(join(ROOT, 'node_modules/express'), join(project, 'node_modules/express'));
}, 60_000);
afterAll(() => rmSync(project, { recursive: true }));

test.each(['express.mjs', 'node-http.mjs'])(
  'the example %s runs on the built package, and is a correct receiver',
  async (example) => {
    copyFileSync(join(PACKAGE, 'examples', example), join(project, example));
    const env = { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET };
    const child = spawn(process.execPath, [example], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const policy = { allowHttp: true, allowed: parseAllowList(['127.0.0.1']) };
    const sender = createSender({ policy, timeoutMs: 10_000 });
    try {
      const plan = { webhookId: ID, secrets: [SECRET], startedAt: new Date(), messageIds: ['a', 'b', 'c'] as const };
      const checked = await checkReceiver({ send: sender.send, now: () => new Date() }, await addressOf(child), plan);
      expect(checked.checks.filter(({ passed }) => !passed)).toEqual([]);
    } finally {
      await sender.close();
      child.kill('SIGKILL');
    }
  },
  30_000,
);

test('the types that the built package brings need nothing else', () => {
  const program = join(project, 'program.mts');
  writeFileSync(
    program,
    `import { type Refused, type Verified, verify } from '@pts/webhook-verifier';
     const result: Verified | Refused = verify({}, '', 'whsec_x', { toleranceSeconds: 1 });
     export const status: 400 | 401 | null = result.ok ? null : result.status;`,
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--module', 'NodeNext', '--lib', 'ES2022', '--types', ''];
  expect(execFileSync(process.execPath, [tsc, ...options, program], { cwd: project, encoding: 'utf8' })).toBe('');
}, 30_000);

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let said = '';
    const read = (chunk: Buffer) => {
      said += chunk;
      const [url] = /http:\/\/\S+/.exec(said) ?? [];
      if (url) found(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => failed(new Error(said)));
  });
}
