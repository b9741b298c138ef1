// npm run bench: sets the checkout up, then runs the benchmarks, which start servers of their own. One line a figure.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const { endWithNpm, ROOT } = await import('./lib.mjs');
const { setUp } = await import('./setup.mjs');
const { bundle, copyReference } = await import('./bundle.mjs');
endWithNpm();

await setUp({ apps: [], out: process.stderr });
// As deep below the root as the sources are: what they find by their own place, the bundle finds, too.
const file = join(ROOT, '.cache/bench/run/bench.mjs');
const { outputFiles } = await bundle('bench/main.ts', file);
await (await import('esbuild')).stop();
mkdirSync(dirname(file), { recursive: true });
for (const { path, contents } of outputFiles) writeFileSync(path, contents);
// The API, which one of them starts, reads its reference as files.
copyReference(dirname(file));
const child = spawn(process.execPath, ['--enable-source-maps', file, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
