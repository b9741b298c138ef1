import type { itemError } from '@pts/contract/batch';
import { MAX_NUMBERS } from '@pts/contract/limits';
import type { Infer } from '@pts/contract/schema';
import type { Include } from '@pts/core/tracking/fields';
import { DEADLINES, within } from '@pts/db/pool';
import { findAnswered } from '@pts/db/trackings/records';
import { registerWhatFits } from '@pts/service/trackings/register';
import type { ApiDeps } from '../deps.ts';
import { type createBulkWarnings, readPlaced, refusedView } from '../endpoints/bulk-items.ts';
import { viewTracking } from '../endpoints/trackings.ts';
import type { TimeSlices } from '../http/bulkhead.ts';
import type { Exchange, Localized } from '../http/operation.ts';
import type { Item } from './input.ts';
import type { Output } from './output.ts';

/**
 * Numbers registered by one statement, and answers read by one, as in a batch call: statements for more keep the
 * requests of other accounts waiting longer, and a stream is as fast.
 */
const CHUNK = MAX_NUMBERS;
/** How many numbers of a stream are looked up at once after lost signals. */
const LOOKED_UP = 1000;
const GATHER_MS = 50;

/** The input, as it arrives. */
type Pieces = AsyncIterable<readonly Item[]>;
type Counts = { requested: number; accepted: number; answered: number; failed: number; timed_out: number };

type Stream = {
  pieces: Pieces;
  output: Output;
  baseUrl: string;
  include: readonly Include[];
  confirm: Exchange['confirm'];
  warnings: ReturnType<typeof createBulkWarnings>;
};

/**
 * Runs one stream: numbers are registered as they arrive, and each is written once its first answer is stored.
 * Backpressure: answers are fetched only as fast as they are read, and while the reader is behind no more input is
 * read. The key is confirmed before each batch of numbers and before each answer.
 * @throws ServiceError `unauthorized` when the key was revoked.
 */
export function runStream(deps: ApiDeps, accountId: string, stream: Stream): Promise<void> {
  // A stream may take its time: its client sees the progress.
  return run({ ...deps, db: deps.db.$within(DEADLINES.statement) }, accountId, stream);
}

async function run(
  deps: ApiDeps,
  accountId: string,
  { pieces, output, baseUrl, include, warnings, ...stream }: Stream,
): Promise<void> {
  const { streams } = deps;
  const closing = new AbortController();
  const stop = (fault: Error) => {
    closing.abort();
    return fault;
  };
  const confirm = () =>
    stream.confirm().catch((fault) => {
      throw stop(fault);
    });
  const ended = AbortSignal.any([output.gone, streams.stopping, closing.signal]);
  const counts: Counts = { requested: 0, accepted: 0, answered: 0, failed: 0, timed_out: 0 };
  const waiting = createWaiting();
  const progress = () => ({ type: 'progress' as const, ...counts, pending: waiting.size() });
  const stopListening = streams.hub.listen((ids) => waiting.answered(ids));
  const heartbeat = setInterval(() => output.offer(progress()), streams.heartbeatMs);
  try {
    await output.write(progress());
    const work = { confirm, output, baseUrl, include, waiting, counts, ended, warnings };
    const [inputFault, outputFault] = await Promise.all([
      register(deps, accountId, pieces, work),
      writeAnswers(deps, accountId, work).then(() => null, stop),
    ]);
    const fault = outputFault ?? inputFault;
    if (output.gone.aborted) return;
    if (fault) throw fault;
    await writeTimeouts({ output, waiting, counts }, streams.stopping.aborted);
    const { requested, accepted, answered, failed, timed_out } = counts;
    const interrupted = streams.stopping.aborted ? { interrupted: true } : {};
    await output.end({
      type: 'summary',
      requested,
      accepted,
      answered,
      failed,
      timed_out,
      ...interrupted,
      ...warnings.found(),
    });
  } finally {
    clearInterval(heartbeat);
    stopListening();
    waiting.close();
  }
}

type Work = {
  confirm: Exchange['confirm'];
  output: Output;
  baseUrl: string;
  include: readonly Include[];
  waiting: Waiting;
  counts: Counts;
  ended: AbortSignal;
  warnings: Stream['warnings'];
};

/** Registers the input and reports refused numbers. @returns the fault that stopped it, if any. */
async function register(deps: ApiDeps, accountId: string, pieces: Pieces, work: Work): Promise<Error | null> {
  const { output, waiting, counts, ended, warnings } = work;
  const stop = new Promise<'ended'>((resolve) => ended.addEventListener('abort', () => resolve('ended')));
  const batches = batchesOf(pieces, CHUNK, GATHER_MS);
  const slices = deps.bulkhead.slices(accountId);
  try {
    while (!ended.aborted) {
      await output.room();
      const next = await Promise.race([batches.next(), stop]);
      if (next === 'ended' || next.done) return null;
      const { accepted, refused } = await registerBatch(deps, accountId, work, next.value, slices);
      slices.resume();
      for (const item of next.value) if ('value' in item) warnings.lookAtItem(item.value, item.index);
      counts.requested += next.value.length;
      counts.accepted += accepted.length;
      counts.failed += refused.length;
      for (const { index, id } of accepted) waiting.add(id, index);
      for (const error of refused) {
        await output.write({ type: 'error', ...error });
        await slices.next();
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
async function writeAnswers(deps: ApiDeps, accountId: string, work: Work): Promise<void> {
  const { confirm, output, baseUrl, include, waiting, counts, ended } = work;
  const { pollMs, timeoutMs } = deps.streams;
  const slices = deps.bulkhead.slices(accountId);
  let quietSince = performance.now();
  while (!ended.aborted && !waiting.isDone()) {
    const isSignalled = await waiting.change(pollMs, ended);
    // Also while there is nothing to write: a stream whose key was revoked must not wait on.
    await confirm();
    const ids = isSignalled ? waiting.takeSignalled(CHUNK) : waiting.lookAt(LOOKED_UP);
    const found = ids.length === 0 ? [] : await findAnswered(deps.db, accountId, ids);
    slices.resume();
    for (const tracking of found) {
      for (const index of waiting.remove(tracking.id)) {
        await confirm();
        counts.answered += 1;
        await output.write({
          type: 'tracking',
          index,
          ...viewTracking(tracking, deps, { baseUrl, language: null, include }),
        });
        await slices.next();
      }
    }
    if (found.length > 0 || !waiting.hasInputEnded()) quietSince = performance.now();
    if (performance.now() - quietSince >= timeoutMs) return;
  }
}

async function writeTimeouts(
  { output, waiting, counts }: Pick<Work, 'output' | 'waiting' | 'counts'>,
  isStopping: boolean,
): Promise<void> {
  for (const [id, indexes] of waiting.rest()) {
    counts.timed_out += indexes.length;
    if (isStopping) continue;
    for (const index of indexes) await output.write({ type: 'timeout', index, id });
  }
}

/** Numbers by their positions in the input of a stream. */
type Accepted = { index: number; id: string };
type Refused = Localized<Infer<typeof itemError>>;

/**
 * Registers a batch of a stream: as many as the quota allows, in their order; the others are refused. The key is
 * confirmed when the account's turn comes, so the batch is charged to the account as it is then.
 * @throws what `confirm` throws; then nothing of the batch is registered.
 */
async function registerBatch(
  deps: ApiDeps,
  accountId: string,
  { confirm, baseUrl }: { confirm: Exchange['confirm']; baseUrl: string },
  batch: readonly Item[],
  slices: TimeSlices,
): Promise<{ accepted: Accepted[]; refused: Refused[] }> {
  const items = await readPlaced({ ...deps, accountId }, batch, slices);
  const register = async () => registerWhatFits(deps, (await confirm()).account, items);
  const { accepted, refused } = await deps.bulkhead.run(accountId, register);
  return {
    accepted: accepted.map(({ given, tracking }) => ({ index: given.index, id: tracking.id })),
    refused: refused
      .map(({ given, error }) => ({
        given: { index: given.index, value: 'value' in given ? given.value : null },
        error,
      }))
      .map(refusedView(baseUrl)),
  };
}

/**
 * Groups input, which arrives in pieces of any length, into batches of up to `max`; a batch is passed on after `waitMs`
 * without input, so that a slow sender is not kept waiting for its first answers.
 */
export async function* batchesOf<T>(
  pieces: AsyncIterable<readonly T[]>,
  max: number,
  waitMs: number,
): AsyncGenerator<T[]> {
  const source = pieces[Symbol.asyncIterator]();
  const read = () => {
    const result = source.next();
    // It may fail while a batch is in use, when nobody waits for it yet: it is reported with the next batch.
    result.catch(() => {});
    return result;
  };
  let next = read();
  try {
    for (let piece = await next; !piece.done; piece = await next) {
      let batch = [...piece.value];
      next = read();
      while (batch.length > 0) {
        while (batch.length < max) {
          const result = await within(waitMs, next, () => null);
          if (result === null || result.done) break;
          batch.push(...result.value);
          next = read();
        }
        yield batch.slice(0, max);
        batch = batch.slice(max);
      }
    }
  } finally {
    void source.return?.()?.catch?.(() => {});
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
    /**
     * Resolves once there is something to do: true if numbers were signalled, false if it is time to look for lost
     * signals.
     */
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
    takeSignalled(max: number): string[] {
      const taken: string[] = [];
      for (const id of signalled) {
        if (taken.length === max) break;
        signalled.delete(id);
        taken.push(id);
      }
      return taken;
    },
    /** The next of all waiting numbers, round robin. */
    lookAt(max: number): string[] {
      const taken: string[] = [];
      cursor ??= indexes.keys();
      for (let next = cursor.next(); taken.length < max; next = cursor.next()) {
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
