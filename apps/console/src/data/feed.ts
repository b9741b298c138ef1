import { isCursorOutdated, isRateLimited, isUnauthorized } from '@pts/client/errors';
import type { EmittedEvent } from '@pts/client/types';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useClient } from '../session/client.tsx';
import { endSession } from '../session/session.ts';
import { createStore } from '../session/store.ts';
import { type Changes, changesSince, withChanges } from './changes.ts';
import { readAgain } from './queries.ts';
import { applyEvent } from './shipments.ts';
import { refreshTracking } from './trackings.ts';

const RETRY_MS = 3_000;
/** An account has a few streams; when other tabs have them all, this one reads page by page. */
const POLL_MS = 3_000;
const POLLS = 20;
/** Events that come together are shown together; overviews are read again less often. */
const TOGETHER_MS = 250;
const OVERVIEW_MS = 5_000;
/**
 * Number of past events that the feed begins with. The data shown first is read while the feed begins, and may lack the
 * newest of the events before it.
 */
const FIRST_EVENTS = 10;

export type Feed = { isLive: boolean; changed: Changes };

const NOTHING: Feed = { isLive: false, changed: new Map() };

export const feed = createStore<Feed>(NOTHING);

/** Forgets the news that came before the lists were read again. */
export function forgetChanges(before: number): void {
  feed.set({ ...feed.get(), changed: changesSince(feed.get().changed, before) });
}

/** Follows the events of the account while the tab is shown, from now on and without a gap. */
export function useFeed(): void {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const overviews = gather(OVERVIEW_MS, () => {
      for (const key of [['newest'], ['stats', '24h']]) void readAgain(queries, key);
    });
    const news = gather<EmittedEvent>(TOGETHER_MS, (events) => {
      receive(queries, events);
      overviews.add(events);
    });
    void follow();
    return () => {
      ending.abort();
      news.stop();
      overviews.stop();
      feed.set(NOTHING);
    };

    async function follow() {
      let after: string | undefined;
      while (!signal.aborted) {
        const watched = whileShown(signal);
        try {
          if (after === undefined) {
            const first = await client.events.list({ last: FIRST_EVENTS, limit: FIRST_EVENTS }, { signal });
            show(queries, first.events);
            after = first.next_cursor;
          }
          setLive(true);
          for await (const { cursor, ...event } of client.events.stream({ after }, { signal: watched.signal })) {
            after = cursor;
            news.add(event);
          }
        } catch (error) {
          if (signal.aborted) return;
          if (isUnauthorized(error)) return endSession(error.message);
          if (watched.signal.aborted) await pause(0, signal);
          else if (isRateLimited(error) && after !== undefined) after = await poll(after);
          else {
            // A tab that was hidden for longer than events are kept begins again with the newest.
            if (isCursorOutdated(error)) after = undefined;
            setLive(false);
            await pause(waitAfter(error), signal);
          }
        } finally {
          watched.end();
        }
      }
    }

    /** Reads pages for a minute; then a stream may be free again. */
    async function poll(from: string): Promise<string> {
      let after = from;
      try {
        for (let polls = 0; polls < POLLS && !signal.aborted; polls += 1) {
          for await (const page of client.events.pages({ after }, { signal })) {
            after = page.next_cursor;
            for (const event of page.events) news.add(event);
          }
          await pause(POLL_MS, signal);
        }
      } catch {
        // The stream is tried next, and reports what is wrong.
      }
      return after;
    }
  }, [client, queries]);
}

function waitAfter(error: unknown): number {
  return isRateLimited(error) && error.retryAfterSeconds !== null ? error.retryAfterSeconds * 1000 : RETRY_MS;
}

function setLive(isLive: boolean): void {
  if (feed.get().isLive !== isLive) feed.set({ ...feed.get(), isLive });
}

/** @returns the ids of their parcels */
function show(queries: QueryClient, events: readonly EmittedEvent[]): ReadonlySet<string> {
  for (const event of events) applyEvent(queries, event);
  const ids = new Set(events.map(({ data }) => data.id));
  for (const id of ids) void refreshTracking(queries, id);
  return ids;
}

function receive(queries: QueryClient, events: readonly EmittedEvent[]): void {
  const ids = show(queries, events);
  feed.set({ isLive: true, changed: withChanges(feed.get().changed, ids, Date.now()) });
}

/** Passes values on in batches. */
function gather<T>(ms: number, pass: (values: readonly T[]) => void) {
  let waiting: T[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(value: T) {
      waiting.push(value);
      timer ??= setTimeout(() => {
        timer = undefined;
        pass(waiting.splice(0));
      }, ms);
    },
    stop() {
      clearTimeout(timer);
      waiting = [];
    },
  };
}

/** A signal that aborts with another one, and when the tab is hidden: hidden tabs need no stream. */
function whileShown(signal: AbortSignal) {
  const hidden = new AbortController();
  const onChange = () => document.visibilityState === 'hidden' && hidden.abort();
  document.addEventListener('visibilitychange', onChange);
  return {
    signal: AbortSignal.any([signal, hidden.signal]),
    end: () => document.removeEventListener('visibilitychange', onChange),
  };
}

/** Waits, and then until the tab is shown. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      if (document.visibilityState === 'hidden' && !signal.aborted) return;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(() => {
      document.addEventListener('visibilitychange', end);
      end();
    }, ms);
    signal.addEventListener('abort', end);
  });
}
