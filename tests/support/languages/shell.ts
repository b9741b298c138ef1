import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';

/** Compilers that run once need not optimize themselves. */
const QUICK = { MAVEN_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };

/** Runs a command of a user in a folder. @returns its output @throws an Error with everything that it printed */
export function shell(command: string, cwd: string, more: Record<string, string> = {}): Promise<string> {
  return outputOf(['bash', '-c', `set -euo pipefail\n${command}`], cwd, { ...QUICK, ...more });
}

/** Runs a program in a folder. @returns its output @throws an Error with everything that it printed */
export function outputOf(
  [command = '', ...args]: readonly string[],
  cwd: string,
  more: Record<string, string> = {},
): Promise<string> {
  return new Promise((done, fail) => {
    const env = { ...process.env, ...more };
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, faults] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      faults += chunk;
    });
    child.on('error', fail);
    child.on('close', (code) =>
      code === 0
        ? done(output)
        : fail(new Error(`${[command, ...args].join(' ')} ended with ${code}\n${output}${faults}`)),
    );
  });
}

/** The first of the commands that fails; undefined if none does. */
export function failing(probes: readonly string[]): string | undefined {
  return probes.find((probe) => spawnSync('sh', ['-c', probe], { cwd: tmpdir(), timeout: 60_000 }).status !== 0);
}

/** Commands that succeed where OpenAPI Generator runs: it is fetched from Maven Central. */
export const OPENAPI_GENERATOR = [
  'java --version',
  'curl -sfI https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/maven-metadata.xml',
];
