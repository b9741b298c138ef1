import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@pts/embedded/free-port';
import { Tether } from '@pts/embedded/tether';
import { eventually } from '../eventually.ts';

/** A server of a test. It ends with this process, however that ends; then its folder is removed. */
export type ServerInFolder = {
  /** Resolves with its exit code. */
  exited: Promise<number>;
  /** What it has printed, also when it has ended. Not after `stop`. */
  output(): string;
  /** Ends it at once. */
  kill(): void;
  /** Waits until it has ended and its folder is gone. */
  stop(): Promise<void>;
};

/** @param dir a temporary folder for this server alone */
export function startInFolder(dir: string, command: readonly string[], env: NodeJS.ProcessEnv = {}): ServerInFolder {
  const [program = '', ...args] = command;
  const file = join(dir, 'log');
  const output = openSync(file, 'w');
  // The folder goes with a server that ends on its own: what is open stays readable.
  const log = openSync(file, 'r');
  const tether = new Tether(program, args, { stopSignal: 'TERM', output, remove: dir, env });
  closeSync(output);
  let printed = '';
  const stop = async () => {
    if (!(await tether.stop(10_000))) tether.kill();
    await tether.exited;
    closeSync(log);
    rmSync(dir, { recursive: true, force: true });
  };
  let stopped: Promise<void> | undefined;
  return {
    exited: tether.exited,
    output() {
      printed += readFileSync(log, 'utf8'); // from where it was read to
      return printed.trim();
    },
    kill: () => tether.kill(),
    stop: () => (stopped ??= stop()),
  };
}

/** Waits until `expectReady` does not throw. @throws with what the server has printed, once it is stopped, if it ends before or takes too long */
export async function untilReady(
  name: string,
  { exited, output, stop }: ServerInFolder,
  expectReady: () => Promise<unknown>,
): Promise<void> {
  let isAlive = true;
  const died = exited.then((code) => {
    isAlive = false;
    throw new Error(`${name} ended with ${code}`);
  });
  died.catch(() => {});
  try {
    await Promise.race([eventually(async () => isAlive && (await expectReady())), died]);
  } catch (error) {
    const said = output();
    await stop();
    throw new Error(`${error instanceof Error ? error.message : error}:\n${said}`);
  }
}

type OnPort = {
  /** Instead of a free one. */
  port?: number | undefined;
  launch(port: number): ServerInFolder;
  /** @throws as long as it is not ready */
  expectReady(port: number): Promise<unknown>;
};

/** Starts a server on a free port: on another one, if another process binds it first. @throws with what the server has printed */
export async function startOnPort(name: string, given: OnPort): Promise<{ port: number; server: ServerInFolder }> {
  for (let attempt = 1; ; attempt++) {
    const port = given.port ?? (await freePort());
    const server = given.launch(port);
    try {
      await untilReady(name, server, () => given.expectReady(port));
      return { port, server };
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}
