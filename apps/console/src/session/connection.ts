import { SERVICE_URL } from './service-url.ts';
import { createStore } from './store.ts';

/** `lostAt`: since when the service does not answer; null while it does. `heardAt`: its last answer. Both in milliseconds. */
export type Connection = { lostAt: number | null; heardAt: number | null };

export const connection = createStore<Connection>({ lostAt: null, heardAt: null });

const RETRY_MS = 3_000;
let retrying: ReturnType<typeof setInterval> | undefined;

/** After this long without an answer to a read, a probe finds out whether the service answers at all. Uploads and tests may take longer. */
const SLOW_MS = 5_000;
const PROBE_MS = 10_000;

/** `fetch`, which notes whether the service answers. A removal is sent even if the page is left at the same moment. */
export const watchedFetch: typeof fetch = async (input, init) => {
  const slow = init?.method === 'GET' ? setTimeout(probe, SLOW_MS) : undefined;
  try {
    const response = await fetch(input, { ...init, keepalive: init?.method === 'DELETE' });
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
