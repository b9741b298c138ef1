import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@pts/client/client';
import { eventually } from '@pts/testing/eventually';
import type { FeedReader } from '../ledger/facts.ts';
import type { Merchant } from './merchants.ts';

export type FeedStreams = {
  readers: readonly FeedReader[];
  /** Ends the streams, as soon as they are complete or no longer expected to become so. */
  finish(isComplete: () => boolean): Promise<void>;
};

/** More than the pause between two heartbeats. */
const SILENCE_MS = 20_000;
const MAX_RETRY_MS = 1000;
/** More than the time after which a stream looks for events whose signal was lost. */
const COMPLETE_MS = 60_000;

/** For each merchant a stream of events that stays open as long as the run lasts, in our client, each at another replica of the API. */
export function startFeedStreams(apis: readonly { url: string }[], merchants: readonly Merchant[]): FeedStreams {
  const ending = new AbortController();
  const all = merchants.map(({ account, apiKey }, n) => {
    const reader: FeedReader = { account, path: '/events/stream', seen: new Set(), resumed: 0, refusals: [] };
    const baseUrl = apis[n % apis.length]?.url ?? '';
    return { reader, running: follow({ baseUrl, apiKey }, reader, ending.signal) };
  });
  return {
    readers: all.map(({ reader }) => reader),
    finish: async (isComplete) => {
      const complete = () => {
        if (!isComplete()) throw new Error('events are missing');
      };
      await eventually(complete, { deadlineMs: COMPLETE_MS }).catch(() => {}); // the ledger names them
      ending.abort();
      await Promise.all(all.map(({ running }) => running));
    },
  };
}

async function follow(
  service: { baseUrl: string; apiKey: string },
  reader: FeedReader,
  ending: AbortSignal,
): Promise<void> {
  const client = createClient({
    ...service,
    pace: false,
    timeoutMs: SILENCE_MS,
    maxRetries: Number.POSITIVE_INFINITY,
    sleep: (ms, signal) => delay(Math.min(ms, MAX_RETRY_MS), undefined, signal && { signal }),
  });
  try {
    for await (const { id } of client.events.stream({}, { signal: ending })) reader.seen.add(id);
  } catch (error) {
    if (!ending.aborted) reader.refusals.push(error instanceof Error ? error.message : String(error));
  }
}
