import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePort } from '@pts/embedded/free-port';
import { findProgram } from './find-program.ts';
import { startInFolder, untilReady } from './server-in-folder.ts';

/** Both servers are in one folder, which one of them fills for both. */
const PACKAGES = { name: 'prometheus', also: ['prometheus-alertmanager'], cache: 'prometheus' };

type Given = {
  server: string;
  env: NodeJS.ProcessEnv;
  /** Where it runs. */
  cwd?: string;
  /** By their names; JSON is YAML. */
  files: Readonly<Record<string, object>>;
  /** @param dir the folder with the files, for its own ones, too. */
  args(dir: string, address: string): string[];
};

/**
 * Finds a program of Prometheus' family, or downloads it.
 * @param program as it is called on the PATH, and in its package
 * @param since the oldest version that will do
 */
export const findMonitoring = (program: string, since: string) =>
  findProgram(
    { program, from: { ...PACKAGES, server: `usr/bin/${program}` }, since },
    // Test files have no terminal of their own: jest shows what they write to stderr.
    (line) => void process.stderr.write(`${line}\n`),
  );

/** Starts a server that answers `/-/ready` once it is up, on a free port of 127.0.0.1. */
export async function startReadyServer(given: Given): Promise<{ url: string; stop(): Promise<void> }> {
  const { server, env, cwd = '/', files, args } = given;
  const program = basename(server);
  const dir = mkdtempSync(join(tmpdir(), `pts-${program}-`));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), JSON.stringify(content));
  const address = `127.0.0.1:${await freePort()}`;
  const inFolder = ['/bin/sh', '-c', 'cd "$0" && exec "$@"', cwd, server, ...args(dir, address)];
  const running = startInFolder(dir, inFolder, env);
  await untilReady(program, running, () => answers(program, address));
  return { url: `http://${address}`, stop: running.stop };
}

async function answers(program: string, address: string): Promise<void> {
  const { ok, status } = await fetch(`http://${address}/-/ready`);
  if (!ok) throw new Error(`${program} answers ${status}`);
}
