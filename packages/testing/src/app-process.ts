import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '@pts/embedded/machine';

/** The processes of an installation. */
export const PROCESSES = ['api', 'carrier-poller', 'webhook-dispatcher'] as const;
export type ProcessName = (typeof PROCESSES)[number];
export type App = ProcessName | 'sandbox-carrier';

const FLAGS = `import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--interrupt-budget=1000000')`;
/**
 * For processes that live for seconds: Node 20 optimizes only code that runs for long, as in the workers of jest.
 */
export const SHORT_LIVED: Record<string, string> = !process.version.startsWith('v20.')
  ? {}
  : { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FLAGS)}` };

/** Where a process listens, and the settings that make it listen there. */
export type Addresses = { url: string; managementUrl: string; env: Record<string, string> };

/** Addresses on ports that were free a moment ago. */
export async function freeAddresses(): Promise<Addresses> {
  const [port, managementPort] = [await freePort(), await freePort()];
  return {
    url: `http://127.0.0.1:${port}`,
    managementUrl: `http://127.0.0.1:${managementPort}`,
    env: {
      HOST: '127.0.0.1',
      PORT: String(port),
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(managementPort),
    },
  };
}

/**
 * Whether the process works; while it waits for its database, it is ready and does not.
 * @throws if it does not answer.
 */
export async function works(app: App, { url, managementUrl }: Addresses): Promise<boolean> {
  const isSandbox = app === 'sandbox-carrier';
  const response = await fetch(isSandbox ? `${url}/healthz` : `${managementUrl}/readyz`, {
    signal: AbortSignal.timeout(5000),
  });
  return response.ok && (isSandbox || ((await response.json()) as { status: string }).status === 'ok');
}

/** Collects what a process prints. @returns all of it so far. */
export function outputOf({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>): () => string {
  let output = '';
  // A chunk may end inside a character; an encoding keeps those together.
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  return () => output;
}

/** Ends a process, unless it has ended, and waits until it is gone. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
