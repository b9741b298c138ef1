import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

const PROMTOOL = {
  program: 'promtool',
  from: { name: 'prometheus', server: 'usr/bin/promtool', cache: 'prometheus' },
  since: '2.42',
};

/** Runs Prometheus' tool. @returns its output. @throws with its output if it finds a fault */
export async function promtool(...args: string[]): Promise<string> {
  // Test files have no terminal of their own: jest shows what they write to stderr.
  const { server, env } = await findProgram(PROMTOOL, (line) => void process.stderr.write(`${line}\n`));
  try {
    const { stdout, stderr } = await promisify(execFile)(server, args, { env: { ...process.env, ...env } });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}` || String(error));
  }
}
