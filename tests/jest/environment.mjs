import childProcess from 'node:child_process';
import { Socket as DatagramSocket } from 'node:dgram';
import { Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The functions that open a socket or start a program, through any API. */
const DOORS = [
  [childProcess.ChildProcess.prototype, 'spawn'],
  [childProcess, 'spawnSync'],
  [childProcess, 'execFileSync'],
  [childProcess, 'execSync'],
  [Socket.prototype, 'connect'],
  [Server.prototype, 'listen'],
  [DatagramSocket.prototype, 'bind'],
  [DatagramSocket.prototype, 'connect'],
  [DatagramSocket.prototype, 'send'],
];
const ALONE =
  'A unit test opens no socket and starts no program. Name its file *.local.test.ts, or *.int.test.ts if it needs a server.';
const LEFT_OPEN = 'These tests left open what keeps the process alive';
/** Handles that a test closes without waiting may take some time to disappear. */
const MAX_TO_CLOSE_MS = 60_000;
const LOOK_EVERY_MS = 20;

/**
 * The process itself as the environment of tests, as `runtime.mjs` needs it. With `testEnvironmentOptions.alone` a test
 * that opens a socket or starts a program fails, even if the code under test catches the error. A file that leaves open
 * a handle that keeps the process alive fails. A test or hook may state more time than `testTimeout`, never less: a
 * busy machine is not a fault.
 */
export default class Environment {
  global = globalThis;
  #isAlone;
  #maxToCloseMs;
  #before;
  #attempts = 0;
  #restore = [];

  constructor({ projectConfig }) {
    const { alone = false, maxToCloseMs = MAX_TO_CLOSE_MS } = projectConfig.testEnvironmentOptions;
    this.#isAlone = alone;
    this.#maxToCloseMs = maxToCloseMs;
    this.#keepProcess();
  }

  getVmContext() {
    return null;
  }

  async setup() {
    // Node maps stacks to sources itself.
    delete Error.prepareStackTrace;
    // Created on first use, and open as long as the process runs.
    void [process.stdin, process.stdout, process.stderr];
    this.#before = activeHandles();
    if (this.#isAlone) this.#lock();
  }

  /** Beside what its tests failed for: an error that is thrown later would replace that. */
  async handleTestEvent({ name, test, hook }, { testTimeout, unhandledErrors }) {
    if (name === 'run_start') globalThis.expect.addEqualityTesters([isSameText]);
    if (name === 'run_finish') unhandledErrors.push(...(await this.#faults()));
    if (name === 'hook_start') hook.timeout = Math.max(hook.timeout ?? 0, testTimeout);
    if (name === 'test_fn_start') test.timeout = Math.max(test.timeout ?? 0, testTimeout);
    if (name !== 'test_done' || this.#attempts === 0) return;
    this.#attempts = 0;
    test.errors.push(new Error(ALONE));
  }

  async teardown() {
    for (const restore of this.#restore) restore();
  }

  /** What a file, or jest for a file, sets in the process is gone with the file. */
  #keepProcess() {
    const { console } = globalThis;
    const { exit, exitCode } = process;
    const env = { ...process.env };
    const directory = process.cwd();
    this.#restore.push(() => {
      globalThis.console = console;
      Object.assign(process, { exit, exitCode });
      for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
      Object.assign(process.env, env);
      process.chdir(directory);
    });
  }

  /** What is wrong with the file as a whole. */
  async #faults() {
    if (this.#attempts > 0) return [new Error(ALONE)];
    const open = await leftOpen(this.#before, this.#maxToCloseMs);
    return open.length === 0 ? [] : [new Error(`${LEFT_OPEN}: ${open.join(', ')}`)];
  }

  /** All files that a worker runs share Node's own modules: replaced functions are restored at the end. */
  #lock() {
    for (const [owner, name] of DOORS) {
      const original = owner[name];
      owner[name] = () => {
        this.#attempts += 1;
        throw new Error(ALONE);
      };
      this.#restore.push(() => {
        owner[name] = original;
      });
    }
  }
}

/** A message of the service equals its English text. */
function isSameText(one, other) {
  const [said, text] = typeof one === 'string' ? [other, one] : [one, other];
  return said?.constructor?.name === 'Message' && typeof text === 'string' ? String(said) === text : undefined;
}

/** How many of each kind keep the process alive: `Timeout`, `TCPSocketWrap`, `ProcessWrap`. */
function activeHandles() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/**
 * Looks for so long: a time in which the process did not run is one look, after which handles that are due may still
 * close.
 */
async function leftOpen(before, maxMs) {
  for (let looks = maxMs / LOOK_EVERY_MS; ; looks--, await delay(LOOK_EVERY_MS)) {
    const open = [...activeHandles()].flatMap(([kind, count]) => {
      const more = count - (before.get(kind) ?? 0);
      return more > 0 ? [`${more} ${kind}`] : [];
    });
    if (open.length === 0 || looks <= 0) return open;
  }
}
