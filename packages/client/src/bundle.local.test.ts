import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SRC = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(SRC, '../../..');

/** Including Node's built-ins: the client runs wherever there is fetch. */
test('the built client contains only its own files and the table of routes', async () => {
  const entryPoints = readdirSync(SRC)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(SRC, name));
  const { metafile } = await build({
    entryPoints,
    outdir: 'unused',
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs).toContain('packages/client/src/request.ts');
  expect(inputs.filter((path) => !path.startsWith('packages/client/src/'))).toEqual([
    'packages/contract/src/routes.ts',
  ]);
});
