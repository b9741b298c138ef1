import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { NODE_FLAGS } from '@pts/runtime/process/node-flags';
import { StartupError } from './options.ts';

export type Program = {
  name: string;
  /** Node's arguments, the file first or after its options. */
  args: string[];
  env: Readonly<Record<string, string | undefined>>;
  /** When it is ready: its URL answers 200, or it prints a matching line. */
  ready: { url: string } | { says: RegExp };
};

type SupervisorOptions = {
  cwd: string;
  output: StartOutput;
  /**
   * Pause before a program is started again; doubled each time, up to `maxPauseMs`, until it has run for `steadyMs`.
   */
  firstPauseMs?: number;
  maxPauseMs?: number;
  steadyMs?: number;
  /** How long a program may take to become ready, and to stop. */
  readyMs?: number;
  stopMs?: number;
  /** How a hung program is detected, killed and restarted. */
  heartbeat?: Heartbeat;
};

export type Supervisor = {
  /** Resolves when all are ready. @throws StartupError if one does not start. */
  ready(): Promise<void>;
  /** Stops all, by force if necessary. */
  stop(): Promise<void>;
  /** Kills all, now. */
  kill(): void;
};

const EARLY_DEATHS = 3;
/** A worker whose log level hides its ready line counts as up when it has lived this long. */
const QUIET_MS = 10_000;

/** Runs programs and restarts those that exit. Their IPC channel closes if this process dies, so they stop too. */
export function supervise(programs: readonly Program[], options: SupervisorOptions): Supervisor {
  const keepers = programs.map((program) => keepRunning(program, options));
  return {
    ready: async () => void (await Promise.all(keepers.map((keeper) => keeper.ready()))),
    stop: async () => void (await Promise.all(keepers.map((keeper) => keeper.stop()))),
    kill: () => keepers.forEach((keeper) => void keeper.kill()),
  };
}

function keepRunning(program: Program, options: SupervisorOptions): Supervisor {
  const {
    output,
    firstPauseMs = 500,
    maxPauseMs = 10_000,
    steadyMs = 30_000,
    readyMs = 60_000,
    stopMs = 10_000,
    heartbeat = { everyMs: 4000, maxMisses: 5 },
  } = options;
  const say = (text: string) => output.line('standalone', text);
  const startedAt = performance.now();
  let child: ChildProcess | undefined;
  let spoke = false;
  let isUp = false;
  let deaths = 0;
  let stopping = false;
  let restart: NodeJS.Timeout | undefined;

  function start(): void {
    const born = performance.now();
    const { args, env, name } = program;
    const ended = (why: string) => {
      child = undefined;
      if (stopping) return;
      deaths = isUp && performance.now() - born > steadyMs ? 1 : deaths + 1;
      const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** (deaths - 1));
      say(`${name} ended (${why}), restarting it in ${pauseMs / 1000} s`);
      restart = setTimeout(start, pauseMs);
    };
    let started: ChildProcess;
    try {
      started = spawn(process.execPath, [...NODE_FLAGS, ...ANSWERING, ...args], {
        cwd: options.cwd,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
    } catch (error) {
      // Some errors are thrown, such as a lack of memory; others are emitted, below.
      ended((error as Error).message);
      return;
    }
    child = started;
    if (started.stdout) output.lines(name, started.stdout, hear);
    if (started.stderr) output.lines(name, started.stderr, hear);
    let isHung = false;
    const unwatch = watch(started, heartbeat, () => {
      isHung = true;
      killGroup(started);
    });
    started.on('error', (error) => {
      if (started.pid !== undefined) return say(`${name}: ${error.message}`);
      // A process that could not be started does not exit.
      unwatch();
      ended(error.message);
    });
    started.once('exit', (code, signal) => {
      unwatch();
      const hungMs = heartbeat.everyMs * heartbeat.maxMisses;
      ended(isHung ? `hung: no response for ${hungMs / 1000} s, killed` : (signal ?? `exit code ${code}`));
    });
  }

  function hear(text: string): void {
    if ('says' in program.ready && program.ready.says.test(text)) spoke = true;
  }

  async function isReady(): Promise<boolean> {
    if (!child) return false;
    if ('says' in program.ready) return spoke || performance.now() - startedAt > QUIET_MS;
    return answers(program.ready.url);
  }

  start();
  return {
    async ready() {
      while (!(await isReady())) {
        if (stopping) return;
        if (deaths >= EARLY_DEATHS) throw new StartupError(`${program.name} does not start. See its output above.`);
        if (performance.now() - startedAt > readyMs)
          throw new StartupError(`${program.name} is not ready after ${readyMs / 1000} s.`);
        await delay(50);
      }
      isUp = true;
      deaths = 0;
    },
    async stop() {
      stopping = true;
      clearTimeout(restart);
      const ending = child;
      if (!ending) return;
      const gone = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
      const force = setTimeout(() => {
        say(`${program.name} did not stop within ${stopMs / 1000} s, killing it`);
        killGroup(ending);
      }, stopMs);
      ending.kill('SIGTERM');
      await gone;
      clearTimeout(force);
    },
    kill() {
      stopping = true;
      clearTimeout(restart);
      if (child) killGroup(child);
    },
  };
}

/** The program and its children: it leads a separate process group. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).status === 200;
  } catch {
    return false;
  }
}

const PING = 'are you there';

/** Runs in the process, before its program: answers over the IPC channel, without keeping the process alive. */
const ANSWER = `process.on('message', (m) => { if (m === '${PING}') process.send?.(m, () => {}); }); process.channel?.unref();`;
/** The Node arguments that make a process answer. */
const ANSWERING = ['--import', `data:text/javascript,${encodeURIComponent(ANSWER)}`];

type Heartbeat = {
  everyMs: number;
  /** Unanswered pings in a row after which the process counts as hung. */
  maxMisses: number;
};

/**
 * Pings a process to check that its event loop runs, and reports if it stops answering. A period in
 * which this process itself did not run, on a suspended or overloaded machine, does not count.
 * @returns a function that stops it.
 */
function watch(child: ChildProcess, { everyMs, maxMisses }: Heartbeat, onHung: () => void): () => void {
  let misses = 0;
  let hasAnswered = true;
  let lastAt = performance.now();
  child.on('message', (message) => {
    if (message === PING) hasAnswered = true;
  });
  const timer = setInterval(() => {
    const sinceMs = performance.now() - lastAt;
    lastAt += sinceMs;
    if (hasAnswered || sinceMs > 2 * everyMs) misses = 0;
    else misses += 1;
    if (misses >= maxMisses) {
      clearInterval(timer);
      return onHung();
    }
    hasAnswered = false;
    if (child.connected) child.send(PING, () => {});
  }, everyMs);
  return () => clearInterval(timer);
}

const WIDTH = 10;
const COLOURS = [36, 32, 33, 35, 34];

export type StartOutput = {
  /** A line of one process: `api        | …`. */
  line(name: string, text: string): void;
  /** Every line of a stream, as it arrives. */
  lines(name: string, stream: Readable, onLine?: (text: string) => void): void;
  /** Text for the user, unchanged. */
  plain(text: string): void;
  /** Drops the lines of processes while `isMuted` returns true. */
  muteWhen(isMuted: () => boolean): void;
};

/** Several processes' lines on one stream, each after the process's name; the names are in colour on a terminal. */
export function createOutput(stream: { write(text: string): unknown }, colourful: boolean): StartOutput {
  let muted = () => false;
  const colours = new Map<string, number>();
  const colourOf = (name: string) => {
    const colour = colours.get(name) ?? COLOURS[colours.size % COLOURS.length] ?? 0;
    colours.set(name, colour);
    return colour;
  };
  const prefix = (name: string) => {
    const label = `${name.padEnd(WIDTH)} |`;
    return colourful ? `\u001b[${colourOf(name)}m${label}\u001b[0m` : label;
  };
  const line = (name: string, text: string) => {
    if (!muted()) stream.write(`${prefix(name)} ${text}\n`);
  };
  return {
    line,
    lines(name, source, onLine = () => {}) {
      createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (text) => {
        line(name, text);
        onLine(text);
      });
    },
    plain: (text) => void stream.write(`${text}\n`),
    muteWhen(isMuted) {
      muted = isMuted;
    },
  };
}

export type Closing = {
  /** A cleanup to run at the end, last added first; `force` is its immediate variant. */
  add(step: () => unknown, force?: () => void): void;
  /** Runs all cleanups once; a failing one does not stop the others. */
  run(): Promise<void>;
  force(): void;
  hasBegun(): boolean;
};

export function createClosing(onFailure: (error: unknown) => void): Closing {
  const steps: (() => unknown)[] = [];
  const forces: (() => void)[] = [];
  let running: Promise<void> | undefined;

  async function undo(): Promise<void> {
    for (let step = steps.pop(); step; step = steps.pop()) {
      try {
        await step();
      } catch (error) {
        onFailure(error);
      }
    }
  }

  return {
    add(step, force = () => {}) {
      steps.push(step);
      forces.push(force);
    },
    run() {
      running ??= undo();
      return running;
    },
    force: () => forces.forEach((force) => void force()),
    hasBegun: () => running !== undefined,
  };
}

/** npm forwards the Ctrl-C that the terminal also sent: a second signal this soon is the same one. */
const SAME_KEYPRESS_MS = 1000;

/** The first signal closes everything and exits with 0; a second one forces the exit. */
export function stopOnSignals(closing: Closing, say: (line: string) => void): void {
  let firstAt: number | undefined;
  const onSignal = async (signal: string) => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      say(`${signal}: stopping`);
      await closing.run();
      say('stopped');
      process.exit(0);
    }
    if (now - firstAt < SAME_KEYPRESS_MS) return;
    say(`${signal} again, forcing exit`);
    closing.force();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void onSignal(signal));
}
