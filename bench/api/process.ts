import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '@pts/embedded/free-port';
import type { Store } from '@pts/queue/connection';
import { NODE_FLAGS } from '@pts/runtime/process/node-flags';
import { endProcess } from '@pts/testing/app-process';
import { eventually } from '@pts/testing/eventually';
import { redisUrlOn } from '@pts/testing/stores';
import { runApi } from '../../apps/api/src/serve.ts';

const API_FLAG = '--as-the-api';
/** Half of the memory limit of the API in k8s/base, which is Node's choice there. */
const HEAP_MIB = 256;

/**
 * The API as deployed, in a separate process with the same heap size.
 * @param settings environment variables that differ.
 */
export async function startApiProcess(store: Store, databaseUrl: string, settings: Record<string, string> = {}) {
  const port = await freePort();
  const redisUrl = redisUrlOn(store);
  const child = fork(fileURLToPath(import.meta.url), [API_FLAG], {
    execArgv: [...NODE_FLAGS, `--max-old-space-size=${HEAP_MIB}`],
    env: {
      PATH: process.env.PATH,
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      DATABASE_URL: databaseUrl,
      QUEUE_PREFIX: `{bench-${process.pid}}`,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SANDBOX_URL: 'http://127.0.0.1:9',
      HOST: '127.0.0.1',
      PORT: String(port),
      MANAGEMENT_PORT: '0',
      LOG_LEVEL: 'error',
      ...settings,
    },
    // Nothing else reads its log.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${port}`;
  const isUp = async () => {
    const { status } = await fetch(`${url}/healthz`);
    if (status !== 200) throw new Error(`the API answers ${status}`);
  };
  await eventually(isUp, { deadlineMs: 60_000 });
  return {
    url,
    /** Milliseconds of CPU that the process has used. */
    cpuMs: () => cpuMsOf(child),
    close: () => endProcess(child),
  };
}

/** Milliseconds of CPU used by a process that answers `cpu`. */
export async function cpuMsOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return (user + system) / 1000;
}

/** What the API's process runs; the bundle is one file, so it starts in the same one as the benchmarks. */
export async function runApiProcess(): Promise<boolean> {
  if (process.argv[2] !== API_FLAG) return false;
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send?.(process.cpuUsage()));
  await runApi(process.env);
  return true;
}
