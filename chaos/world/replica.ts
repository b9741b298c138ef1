import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Addresses, type App, endProcess, works } from '@pts/testing/app-process';

/** A process of the service. If it ends, it is started again, as on any platform. */
export type Replica = {
  app: App;
  /** `carrier-poller 1`. */
  name: string;
  url: string;
  managementUrl: string;
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Sets its machine's clock wrong, until it is set to 0 or the process ends. */
  skew(ms: number): void;
  isReady(): Promise<boolean>;
  /** How often it has ended without having been killed by us. */
  crashes(): number;
  /** @returns its exit code; null if the signal has killed it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

type Options = {
  app: App;
  name: string;
  env: Record<string, string>;
  addresses: Addresses;
  logDir: string;
};

/** The usual delay before a platform starts a process again. */
const RESTART_MS = 1000;

export function startReplica({ app, name, env, addresses, logDir }: Options): Replica {
  const clock = pathToFileURL(join(process.cwd(), '.cache/chaos/parts/clock.mjs')).href;
  const { url, managementUrl } = addresses;
  let isStopping = false;
  let isKilled = false;
  let crashes = 0;
  let child: ChildProcess;
  const start = () => {
    const log = openSync(join(logDir, `${name.replaceAll(' ', '-')}.log`), 'a');
    child = spawn(process.execPath, ['--import', clock, `apps/${app}/dist/${app}.mjs`], {
      env: { ...env, ...addresses.env },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    child.on('error', () => {}); // a message to a process that has just ended
    child.once('exit', async () => {
      if (isStopping) return;
      if (!isKilled) crashes += 1;
      isKilled = false;
      await delay(RESTART_MS);
      if (!isStopping) start();
    });
  };
  start();
  return {
    app,
    name,
    url,
    managementUrl,
    crashes: () => crashes,
    signal: (signal) => {
      if (signal === 'SIGKILL') isKilled = true;
      child.kill(signal);
    },
    skew: (skewMs) => {
      if (child.connected) child.send({ skewMs }, () => {});
    },
    isReady: () => works(app, addresses).catch(() => false),
    stop: async (signal) => {
      isStopping = true;
      await endProcess(child, signal);
      return child.exitCode;
    },
  };
}
