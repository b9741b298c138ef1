import { DEADLINES, withDeadline } from '@pts/db/connection/deadline';
import { findAnswered } from '@pts/db/trackings/records';
import type { ApiDeps } from '../deps.ts';
import { viewTracking } from '../endpoints/trackings/view.ts';
import type { Caller } from '../http/operation.ts';
import { batchesOf } from './batches.ts';
import type { Item } from './input.ts';
import type { Output } from './output.ts';
import { registerBatch } from './register.ts';

/** Numbers registered by one statement, and answers read by one. */
const CHUNK = 200;
/** How many numbers of a stream are looked up at once after lost signals. */
const LOOKED_UP = 1000;
const GATHER_MS = 50;

/** The input, as it arrives. */
type Pieces = AsyncIterable<readonly Item[]>;
type Counts = { requested: number; accepted: number; answered: number; failed: number; timed_out: number };

/**
 * Runs one stream: numbers are registered as they arrive, and each is written once its first answer is stored. Backpressure:
 * answers are fetched only as fast as they are read, and while the reader is behind no more input is read.
 */
export function runStream(deps: ApiDeps, caller: Caller, pieces: Pieces, output: Output): Promise<void> {
  // A stream may take its time: its client sees the progress.
  return withDeadline(DEADLINES.statement, () => run(deps, caller, pieces, output));
}

async function run(deps: ApiDeps, caller: Caller, pieces: Pieces, output: Output): Promise<void> {
  const { streams } = deps;
  const ended = AbortSignal.any([output.gone, streams.stopping]);
  const counts: Counts = { requested: 0, accepted: 0, answered: 0, failed: 0, timed_out: 0 };
  const waiting = createWaiting();
  const progress = () => ({ type: 'progress' as const, ...counts, pending: waiting.size() });
  const stopListening = streams.hub.listen((ids) => waiting.answered(ids));
  const heartbeat = setInterval(() => output.offer(progress()), streams.heartbeatMs);
  try {
    await output.write(progress());
    const input = register(deps, caller, pieces, { output, waiting, counts, ended });
    await writeAnswers(deps, caller, { output, waiting, counts, ended });
    const fault = await input;
    if (output.gone.aborted) return;
    if (fault) throw fault;
    await writeTimeouts({ output, waiting, counts }, streams.stopping.aborted);
    const { requested, accepted, answered, failed, timed_out } = counts;
    const interrupted = streams.stopping.aborted ? { interrupted: true } : {};
    await output.end({ type: 'summary', requested, accepted, answered, failed, timed_out, ...interrupted });
  } finally {
    clearInterval(heartbeat);
    stopListening();
    waiting.close();
  }
}

type Work = { output: Output; waiting: Waiting; counts: Counts; ended: AbortSignal };

/** Registers the input and reports refused numbers. @returns the fault that stopped it, if any. */
async function register(deps: ApiDeps, caller: Caller, pieces: Pieces, work: Work): Promise<Error | null> {
  const { output, waiting, counts, ended } = work;
  const stop = new Promise<'ended'>((resolve) => ended.addEventListener('abort', () => resolve('ended')));
  const batches = batchesOf(pieces, CHUNK, GATHER_MS);
  const turns = deps.bulkhead.turns(caller.account.id);
  try {
    while (!ended.aborted) {
      await output.room();
      const next = await Promise.race([batches.next(), stop]);
      if (next === 'ended' || next.done) return null;
      const { accepted, refused } = await registerBatch(deps, caller, next.value, turns);
      turns.resume();
      counts.requested += next.value.length;
      counts.accepted += accepted.length;
      counts.failed += refused.length;
      for (const { index, id } of accepted) waiting.add(id, index);
      for (const { index, error } of refused) {
        await output.write({ type: 'error', index, ...error });
        await turns.next();
      }
    }
    return null;
  } catch (error) {
    return error as Error;
  } finally {
    waiting.inputEnded();
    void batches.return(undefined);
  }
}

/** Writes each answer as it is stored, until none is pending or none has arrived for too long. */
async function writeAnswers(deps: ApiDeps, caller: Caller, { output, waiting, counts, ended }: Work): Promise<void> {
  const { pollMs, timeoutMs } = deps.streams;
  const turns = deps.bulkhead.turns(caller.account.id);
  let quietSince = performance.now();
  while (!ended.aborted && !waiting.isDone()) {
    const isSignalled = await waiting.change(pollMs, ended);
    const ids = isSignalled ? waiting.takeSignalled(CHUNK) : waiting.lookAt(LOOKED_UP);
    const found = ids.length === 0 ? [] : await findAnswered(deps.db, caller.account.id, ids);
    turns.resume();
    for (const tracking of found) {
      for (const index of waiting.remove(tracking.id)) {
        counts.answered += 1;
        await output.write({ type: 'tracking', index, ...viewTracking(tracking, deps) });
        await turns.next();
      }
    }
    if (found.length > 0 || !waiting.hasInputEnded()) quietSince = performance.now();
    if (performance.now() - quietSince >= timeoutMs) return;
  }
}

async function writeTimeouts({ output, waiting, counts }: Omit<Work, 'ended'>, isStopping: boolean): Promise<void> {
  for (const [id, indexes] of waiting.rest()) {
    counts.timed_out += indexes.length;
    if (isStopping) continue;
    for (const index of indexes) await output.write({ type: 'timeout', index, id });
  }
}

/** The numbers of a stream that have no answer yet. */
type Waiting = ReturnType<typeof createWaiting>;

function createWaiting() {
  const indexes = new Map<string, number[]>();
  const signalled = new Set<string>();
  let hasInputEnded = false;
  let notify = () => {};
  let cursor: Iterator<string> | null = null;
  return {
    size: () => indexes.size,
    /** A number that was registered before may already have its answer: it is checked as if it had been signalled. */
    add(id: string, index: number) {
      const places = indexes.get(id);
      if (places) places.push(index);
      else indexes.set(id, [index]);
      signalled.add(id);
      notify();
    },
    answered(ids: readonly string[]) {
      let isOurs = false;
      for (const id of ids) {
        if (!indexes.has(id)) continue;
        signalled.add(id);
        isOurs = true;
      }
      if (isOurs) notify();
    },
    inputEnded() {
      hasInputEnded = true;
      notify();
    },
    hasInputEnded: () => hasInputEnded,
    isDone: () => hasInputEnded && indexes.size === 0,
    /** Resolves once there is something to do: true if numbers were signalled, false if it is time to look for lost signals. */
    change(pollMs: number, ended: AbortSignal): Promise<boolean> {
      if (signalled.size > 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          ended.removeEventListener('abort', done);
          notify = () => {};
          resolve(signalled.size > 0);
        };
        const timer = setTimeout(done, pollMs);
        ended.addEventListener('abort', done);
        notify = done;
      });
    },
    takeSignalled(most: number): string[] {
      const taken: string[] = [];
      for (const id of signalled) {
        if (taken.length === most) break;
        signalled.delete(id);
        taken.push(id);
      }
      return taken;
    },
    /** The next of all waiting numbers, round robin. */
    lookAt(most: number): string[] {
      const taken: string[] = [];
      cursor ??= indexes.keys();
      for (let next = cursor.next(); taken.length < most; next = cursor.next()) {
        if (next.done) {
          cursor = null;
          break;
        }
        taken.push(next.value);
      }
      return taken;
    },
    remove(id: string): number[] {
      const places = indexes.get(id) ?? [];
      indexes.delete(id);
      signalled.delete(id);
      return places;
    },
    rest: () => [...indexes],
    close() {
      indexes.clear();
      signalled.clear();
    },
  };
}
