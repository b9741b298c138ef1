import { MAX_NUMBERS } from '@pts/contract/limits';
import { DEADLINES } from '@pts/db/pool';
import { findAnswered } from '@pts/db/trackings/records';
import type { ApiDeps } from '../deps.ts';
import type { createBulkWarnings } from '../endpoints/trackings/bulk-items.ts';
import { viewTracking } from '../endpoints/trackings/view.ts';
import type { Exchange } from '../http/operation.ts';
import { batchesOf } from './batches.ts';
import type { Item } from './input.ts';
import type { Output } from './output.ts';
import { registerBatch } from './register-batch.ts';
import { createWaiting, type Waiting } from './waiting.ts';

/**
 * Numbers registered by one statement, and answers read by one, as in a batch call: statements for more keep the requests of other
 * accounts waiting longer, and a stream is as fast.
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
  confirm: Exchange['confirm'];
  warnings: ReturnType<typeof createBulkWarnings>;
};

/**
 * Runs one stream: numbers are registered as they arrive, and each is written once its first answer is stored. Backpressure:
 * answers are fetched only as fast as they are read, and while the reader is behind no more input is read. The key is confirmed
 * before each batch of numbers and before each answer.
 * @throws ServiceError `unauthorized` when the key was revoked.
 */
export function runStream(deps: ApiDeps, accountId: string, stream: Stream): Promise<void> {
  // A stream may take its time: its client sees the progress.
  return run({ ...deps, db: deps.db.$within(DEADLINES.statement) }, accountId, stream);
}

async function run(
  deps: ApiDeps,
  accountId: string,
  { pieces, output, baseUrl, warnings, ...stream }: Stream,
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
    const work = { confirm, output, baseUrl, waiting, counts, ended, warnings };
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
  const { confirm, output, baseUrl, waiting, counts, ended } = work;
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
        await output.write({ type: 'tracking', index, ...viewTracking(tracking, deps, { baseUrl, language: null }) });
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
