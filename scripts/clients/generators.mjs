// OpenAPI Generator, which makes the clients of /downloads.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, ScriptError } from '../parts/lib.mjs';

const CACHE = join(ROOT, '.cache/generators');
const JAR_VERSION = '7.25.0';
const JAR = {
  url: `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${JAR_VERSION}/openapi-generator-cli-${JAR_VERSION}.jar`,
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
};

/** Gets the program into .cache. @returns the command that runs it */
export async function installOpenApiGenerator() {
  const jar = join(CACHE, `openapi-generator-cli-${JAR_VERSION}.jar`);
  if (!existsSync(jar)) {
    const response = await fetch(JAR.url);
    if (!response.ok) throw new ScriptError(`${JAR.url} answered ${response.status}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (digest !== JAR.sha256) throw new ScriptError(`${JAR.url} has the SHA-256 ${digest}, not ${JAR.sha256}`);
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(jar, bytes);
  }
  return ['java', '-jar', jar];
}
