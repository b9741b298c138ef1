import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const SRC = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(SRC, '../../..');

/** Node's built-ins included: the client runs wherever there is fetch. */
test('built, the client imports nothing but its own files', async () => {
  const entryPoints = readdirSync(SRC)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(SRC, name));
  const { metafile } = await build({
    entryPoints,
    outdir: 'unused',
    absWorkingDir: ROOT,
    ...{ bundle: true, format: 'esm', platform: 'neutral', write: false, metafile: true },
    logLevel: 'silent',
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.length).toBeGreaterThan(10);
  expect(inputs.filter((path) => !path.startsWith('packages/client/src/'))).toEqual([]);
});

test('what the README says to build works by itself', () => {
  const readme = readFileSync(join(SRC, '../README.md'), 'utf8');
  const [line = ''] = /^npx esbuild .*$/m.exec(readme) ?? [];
  const outdir = mkdtempSync(join(tmpdir(), 'pts-client-'));
  const [, , ...args] = line.replace('--outdir=tracking-client', `--outdir=${outdir}`).split(' ');
  const built = spawnSync('node_modules/.bin/esbuild', args, { cwd: ROOT, encoding: 'utf8' });
  expect(built).toMatchObject({ status: 0 });
  const urls = ['client.mjs', 'errors.mjs'].map((name) => pathToFileURL(join(outdir, name)).href);
  const program = `
    const [{ createClient }, { NoAnswerError }] = await Promise.all(process.argv.slice(1).map((url) => import(url)));
    const { auth } = createClient({ baseUrl: 'http://127.0.0.1:2', apiKey: 'tk_1', maxRetries: 0 });
    await auth.me().catch((error) => console.log(error instanceof NoAnswerError, error.reason));`;
  const told = spawnSync(process.execPath, ['--input-type=module', '-e', program, ...urls], { encoding: 'utf8' });
  rmSync(outdir, { recursive: true });
  expect(told.stdout).toBe('true not_sent\n');
});
