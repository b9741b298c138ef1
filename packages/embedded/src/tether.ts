import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

// The shell holds a pipe from us. When it closes, by stop() or because we died (even by kill -9), the server is interrupted.
// A suspended server is continued, to end. When the server ends on its own, the shell passes its exit code on.
const LEASH = `
exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -s "$LEASH_SIGNAL" $server; kill -s CONT $server 2>/dev/null; } & watcher=$!
wait $server; code=$?
kill $watcher 2>/dev/null
[ -z "$LEASH_REMOVE" ] || rm -rf "$LEASH_REMOVE"
exit $code`;

export type TetherOptions = {
  /** Sent to the server when the pipe closes. INT is only for servers that handle it: the shell starts them ignoring it. */
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

/** A server that ends when we end or call stop(). It has a session of its own, so it does not get the terminal's Ctrl-C. */
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
