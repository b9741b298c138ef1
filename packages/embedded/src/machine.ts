import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// The shell holds a pipe from us. When it closes, by stop() or because we died (even by kill -9), the server is
// interrupted. A suspended server is continued, to end. When the server ends on its own, the shell passes its exit code
// on.
const LEASH = `
exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -s "$LEASH_SIGNAL" $server; kill -s CONT $server 2>/dev/null; } & watcher=$!
wait $server; code=$?
kill $watcher 2>/dev/null
[ -z "$LEASH_REMOVE" ] || rm -rf "$LEASH_REMOVE"
exit $code`;

type TetherOptions = {
  /**
   * Sent to the server when the pipe closes. INT is only for servers that handle it: the shell starts them ignoring it.
   */
  stopSignal: 'INT' | 'TERM';
  /** Where its stdout and stderr go: a file descriptor, so that its log does not depend on us. */
  output: number | 'ignore';
  /** A temporary folder to remove when the server has ended. */
  remove?: string;
  /** Variables of the server in addition to ours. */
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
};

/**
 * A server that ends when we end or call stop(). It has a session of its own, so it does not get the terminal's Ctrl-C.
 */
export class Tether {
  private readonly shell: ChildProcess;
  /** Resolves with the exit code when the server has ended, for whatever reason. */
  readonly exited: Promise<number>;

  constructor(command: string, args: readonly string[], options: TetherOptions) {
    const { stopSignal, output, remove = '', uid, gid, env } = options;
    this.shell = spawn('/bin/sh', ['-c', LEASH, 'leash', command, ...args], {
      cwd: '/',
      env: { ...process.env, ...env, LEASH_SIGNAL: stopSignal, LEASH_REMOVE: remove },
      detached: true,
      stdio: ['pipe', output, output],
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    });
    this.shell.stdin?.on('error', () => {});
    this.exited = new Promise((resolve) => {
      this.shell.once('error', () => resolve(127));
      this.shell.once('exit', (code) => resolve(code ?? 1));
    });
  }

  /** Closes the pipe. False if the server still runs after `timeoutMs`. */
  stop(timeoutMs: number): Promise<boolean> {
    this.shell.stdin?.end();
    const stopped = this.exited.then(() => true);
    return Promise.race([stopped, delay(timeoutMs, false, { ref: false })]);
  }

  /** Last resort: kills the shell's whole group. */
  kill(): void {
    try {
      if (this.shell.pid) process.kill(-this.shell.pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

/** Whether `port` can be bound on `host` now; 0 asks for any. Resolves to the bound port, or null when it is taken. */
export function tryPort(port: number, host = '127.0.0.1'): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}

/** Systems use higher ones for outgoing connections, which could take a port before the caller binds it. */
export const END_OF_PORTS = 32_000;
const FIRST_PORT = 20_000;
const MAX_TRIES = 1000;
let last = randomInt(FIRST_PORT, END_OF_PORTS);

/**
 * A port that was free a moment ago. The caller must be ready to retry if binding it fails: another process may be
 * faster. This one gets each port once, because those that it has got may not be bound yet.
 * @param end the port must be below it.
 */
export async function freePort(host = '127.0.0.1', end: number = END_OF_PORTS): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    last = last + 1 < end ? last + 1 : randomInt(FIRST_PORT, end);
    const port = await tryPort(last, host);
    if (port !== null) return port;
  }
  throw new Error(`no free port on ${host}`);
}

/** Linux keeps the files of this folder in memory. Containers often limit it to 64 MB. */
const IN_MEMORY = '/dev/shm';
/** Any other folder for temporary files is somebody's choice. */
const DEFAULT = '/tmp';
/** The space that the servers of a whole test run need, several times over. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Creates a temporary folder for a server whose data nobody keeps: in memory, where there is enough of it. Tests create
 * and drop hundreds of databases with hundreds of files each, which costs a disk's file system more than PostgreSQL
 * itself. A `TMPDIR` other than `/tmp` overrides the choice.
 */
export function createTemporaryFolder(prefix: string): string {
  const parent = tmpdir() === DEFAULT && hasMemory() ? IN_MEMORY : tmpdir();
  return mkdtempSync(join(parent, prefix));
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES && process.availableMemory() >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
