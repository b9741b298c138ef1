import type { Query } from '@tanstack/react-query';
import { spoken } from '../i18n/language.ts';
import { createStore } from './store.ts';

/** The page's own script: its name changes with each build. */
const script = new URL(import.meta.url);

/** In front of every path of the service; empty unless it is served below a path. */
const prefix = script.pathname.slice(0, Math.max(0, script.pathname.lastIndexOf('/console/assets/')));

/** Where the service is. */
export const SERVICE_URL = `${location.origin}${prefix}`;
/** The path of the console. */
export const CONSOLE_PATH = `${prefix}/console`;

/**
 * `lostAt`: since when the service does not answer; null while it does. `heardAt`: its last answer. Both in
 * milliseconds.
 */
type Connection = { lostAt: number | null; heardAt: number | null };

export const connection = createStore<Connection>({ lostAt: null, heardAt: null });

const RETRY_MS = 3_000;
let retrying: ReturnType<typeof setInterval> | undefined;

/**
 * After this long without an answer to a read, a probe finds out whether the service answers at all. Uploads and tests
 * may take longer.
 */
const SLOW_MS = 5_000;
const PROBE_MS = 10_000;

/**
 * `fetch`, which asks for texts in the language of the console, and notes whether the service answers. A removal is
 * sent even if the page is left at the same moment.
 */
export const watchedFetch: typeof fetch = async (input, init) => {
  const slow = init?.method === 'GET' ? setTimeout(probe, SLOW_MS) : undefined;
  try {
    const headers = new Headers(init?.headers);
    headers.set('Accept-Language', spoken.get().language);
    const response = await fetch(input, { ...init, headers, keepalive: init?.method === 'DELETE' });
    heard();
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) lost();
    throw error;
  } finally {
    clearTimeout(slow);
  }
};

// The browser notices immediately when the network is lost or restored.
window.addEventListener('offline', probe);
window.addEventListener('online', probe);

function heard(): void {
  connection.set({ lostAt: null, heardAt: Date.now() });
  clearInterval(retrying);
  retrying = undefined;
}

/** From now on, probes the service until it answers. */
function lost(): void {
  const { lostAt, heardAt } = connection.get();
  connection.set({ lostAt: lostAt ?? Date.now(), heardAt });
  retrying ??= setInterval(probe, RETRY_MS);
}

async function probe(): Promise<void> {
  try {
    await fetch(`${SERVICE_URL}/console/build.json`, { cache: 'no-cache', signal: AbortSignal.timeout(PROBE_MS) });
    heard();
  } catch {
    lost();
  }
}

/** A read that has failed: why, and since when its data is shown, in milliseconds. */
export type FailedRead = { error: Error; shownSince: number };

/** A query of any types. */
type AnyQuery = { readonly state: Pick<Query['state'], 'dataUpdatedAt' | 'fetchMeta'> };

/** The queries whose last read failed. Their own state forgets it when an event changes what they hold. */
export const failedReads = createStore<ReadonlyMap<AnyQuery, FailedRead>>(new Map());

const readAt = new WeakMap<AnyQuery, number>();

export function noteRead(query: AnyQuery): void {
  if (isNextPage(query)) return;
  readAt.set(query, Date.now());
  if (!failedReads.get().has(query)) return;
  failedReads.set(new Map([...failedReads.get()].filter(([other]) => other !== query)));
}

export function noteFailure(error: Error, query: AnyQuery): void {
  if (isNextPage(query)) return;
  const shownSince = readAt.get(query) ?? query.state.dataUpdatedAt;
  failedReads.set(new Map([...failedReads.get(), [query, { error, shownSince }]]));
}

/** Whether a query reads a further page: the data shown stays as it is then, and the list itself says that. */
function isNextPage({ state }: AnyQuery): boolean {
  return state.fetchMeta?.fetchMore !== undefined;
}

/** Whether the service has a newer build of the console than this tab. */
export const isOutdated = createStore(false);

const CHECK_EVERY_MS = 60_000;
const OWN = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src.split('/').at(-1);
let checkedAt = 0;

/**
 * Compares builds, at most once a minute unless `now`: when the tab is shown again, and when a part of the console is
 * missing.
 */
export async function checkBuild({ now = false } = {}): Promise<void> {
  if (!now && performance.now() - checkedAt < CHECK_EVERY_MS) return;
  checkedAt = performance.now();
  try {
    const response = await fetch(`${CONSOLE_PATH}/build.json`, { cache: 'no-cache' });
    const { script } = (await response.json()) as { script: string };
    isOutdated.set(script !== OWN);
  } catch {
    // Offline: another bar says so.
  }
}

export function watchBuild(): () => void {
  const onShown = () => {
    if (document.visibilityState === 'visible') void checkBuild();
  };
  document.addEventListener('visibilitychange', onShown);
  return () => document.removeEventListener('visibilitychange', onShown);
}
