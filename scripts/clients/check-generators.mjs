// npm run check-generators: generates clients from the OpenAPI document with the common code generators, and compiles
// them. Needs Python, Go, Java and Maven, and the network: it installs the generators in .cache/generators. Arguments:
// `--present` uses only installed generators; a file replaces the checkout's own document.
import '../parts/node-version.mjs';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const { refuseUnknownOptions } = await import('../parts/help.mjs');
const { endWithNpm, fail, isMain, ROOT } = await import('../parts/lib.mjs');

/** Runs all generators and reports the result of each. @returns the names of those that failed. */
async function checkAll(document, { install }) {
  const { GENERATORS } = await import('./generators.mjs');
  const scratch = mkdtempSync(join(tmpdir(), 'pts-generators-'));
  const failed = [];
  try {
    for (const [place, generator] of GENERATORS.entries()) {
      const started = performance.now();
      const folder = join(scratch, String(place));
      mkdirSync(folder);
      try {
        const command = install && generator.install ? await generator.install() : generator.find();
        if (command === null) {
          process.stdout.write(`${generator.name}: not installed\n`);
          continue;
        }
        await generator.check(command, document, folder);
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        process.stdout.write(`${generator.name}: its code compiles, ${seconds} s\n`);
      } catch (error) {
        failed.push(generator.name);
        process.stdout.write(`${generator.name}: failed\n${error.message}\n`);
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return failed;
}

/** Writes the document of this checkout. @returns its path. */
async function writeDocument() {
  const { setUp } = await import('../parts/setup.mjs');
  const { openapiDocument } = await import('./openapi-document.mjs');
  await setUp({ apps: [], out: process.stderr });
  const document = join(ROOT, '.cache/openapi/openapi.json');
  const text = await openapiDocument('https://tracking.example.cn');
  mkdirSync(join(document, '..'), { recursive: true });
  writeFileSync(document, text);
  return document;
}

if (isMain(import.meta.url)) {
  refuseUnknownOptions(import.meta.url, ['--present']);
  endWithNpm();
  const args = process.argv.slice(2);
  const given = args.find((arg) => !arg.startsWith('--'));
  try {
    const document = given ? resolve(given) : await writeDocument();
    const failed = await checkAll(document, { install: !args.includes('--present') });
    if (failed.length > 0) throw new (await import('../parts/lib.mjs')).Problem(`Failed: ${failed.join('; ')}`);
    process.exit(0);
  } catch (error) {
    fail(error);
  }
}
