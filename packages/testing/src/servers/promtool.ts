import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findMonitoring } from './ready-server.ts';

/** Runs Prometheus' tool. @returns its output. @throws with its output if it finds a fault */
export async function promtool(...args: string[]): Promise<string> {
  const { server, env } = await findMonitoring('promtool', '2.42');
  try {
    const { stdout, stderr } = await promisify(execFile)(server, args, { env: { ...process.env, ...env } });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}` || String(error));
  }
}
