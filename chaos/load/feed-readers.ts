import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@pts/client/client';
import { eventually } from '@pts/testing/eventually';
import type { FeedReader } from '../ledger/facts.ts';
import { rowsOf } from '../world/postgres.ts';
import type { Call, Merchant } from './merchants.ts';

type Page = { ids: string[]; next: string };
type ReadFeed = (
  merchant: Merchant,
  after: string,
) => Promise<Page | { resumeAfter: string } | { refusal: string } | null>;

const EVERY_MS = 400;
/** At the end: a transaction that is open delays what can be read, for a moment. */
const EMPTY_PAGES_AT_END = 8;

/** A reader for each merchant, which reads on from its last cursor as long as the run lasts. */
export function startFeedReaders(read: ReadFeed, merchants: readonly Merchant[]) {
  const ending = new AbortController();
  const all = merchants.map((merchant) => {
    const reader: FeedReader = {
      account: merchant.account,
      path: '/events',
      seen: new Set(),
      resumed: 0,
      refusals: [],
    };
    return { reader, running: follow(read, merchant, reader, ending.signal) };
  });
  for (const { running } of all) running.catch(() => {}); // awaited below
  return {
    readers: all.map(({ reader }) => reader),
    /** Reads to the end of the feed, and ends. */
    finish: async () => {
      ending.abort();
      await Promise.all(all.map(({ running }) => running));
    },
  };
}

async function follow(read: ReadFeed, merchant: Merchant, reader: FeedReader, ending: AbortSignal): Promise<void> {
  let after = '';
  for (let emptyAtEnd = 0; emptyAtEnd < EMPTY_PAGES_AT_END; ) {
    const answer = await read(merchant, after);
    if (answer === null) {
      // No answer; it is asked again.
    } else if ('refusal' in answer) {
      reader.refusals.push(answer.refusal);
      return;
    } else if ('resumeAfter' in answer) {
      reader.resumed += 1;
      after = answer.resumeAfter;
      continue;
    } else {
      for (const id of answer.ids) reader.seen.add(id);
      after = answer.next;
      if (answer.ids.length > 0) continue;
      if (ending.aborted) emptyAtEnd += 1;
    }
    await delay(EVERY_MS);
  }
}

/** Reads the feed as a merchant does: the cursor is a text without meaning, and a 409 says where to go on. */
export function readOverApi(call: Call): ReadFeed {
  return async ({ apiKey }, after) => {
    const answer = await call('GET', `/events?limit=200&after=${after}`, apiKey);
    if (answer.kind === 'none' || answer.status >= 500) return null;
    const { events = [], next_cursor: next = '' } = answer.data as { events?: { id: string }[]; next_cursor?: string };
    if (answer.code === 409) return { resumeAfter: next };
    if (answer.code === 200) return { ids: events.map(({ id }) => id), next };
    return { refusal: `${answer.code} ${JSON.stringify(answer.data)}` };
  };
}

/**
 * The negative control of cursors that know their server: the cursor is a pair of numbers, whichever server has counted
 * them.
 */
export function readByNumbers(url: () => string): ReadFeed {
  return async ({ account }, after) => {
    const [xact = '0', position = '0'] =
      after === '' ? [] : after.split('.').map((number) => BigInt(number).toString());
    const page = await rowsOf<{ id: string; place: string }>(
      url(),
      `SELECT id, xact || '.' || position AS place FROM messages
       WHERE account_id = '${account}' AND (xact, position) > (${xact}, ${position})
         AND xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
       ORDER BY xact, position LIMIT 200`,
    ).catch(() => null);
    return page === null ? null : { ids: page.map(({ id }) => id), next: page.at(-1)?.place ?? after };
  };
}

/** More than the pause between two heartbeats. */
const SILENCE_MS = 20_000;
const MAX_RETRY_MS = 1000;
/** More than the time after which a stream looks for events whose signal was lost. */
const COMPLETE_MS = 60_000;

/**
 * For each merchant a stream of events that stays open as long as the run lasts, in our client, each at another replica
 * of the API.
 */
export function startFeedStreams(apis: readonly { url: string }[], merchants: readonly Merchant[]) {
  const ending = new AbortController();
  const all = merchants.map(({ account, apiKey }, n) => {
    const reader: FeedReader = { account, path: '/events/stream', seen: new Set(), resumed: 0, refusals: [] };
    const baseUrl = apis[n % apis.length]?.url ?? '';
    return { reader, running: followStream({ baseUrl, apiKey }, reader, ending.signal) };
  });
  return {
    readers: all.map(({ reader }) => reader),
    /** Ends the streams, as soon as they are complete or no longer expected to become so. */
    finish: async (isComplete: () => boolean) => {
      const complete = () => {
        if (!isComplete()) throw new Error('events are missing');
      };
      await eventually(complete, { deadlineMs: COMPLETE_MS }).catch(() => {}); // the ledger names them
      ending.abort();
      await Promise.all(all.map(({ running }) => running));
    },
  };
}

async function followStream(
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
