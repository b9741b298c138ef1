import { dueRuns } from '@pts/db/run-leases';
import { type BulkActionContext, runBulkAction } from '@pts/service/bulk-actions';
import { newTrackings } from '@pts/testing/factories';
import { recordingProducer } from '@pts/testing/queue';
import { startTestApi } from './test-api.ts';

/** The API, and a poller that runs bulk actions when the test says so, on one clock. */
export async function startBulkTest() {
  let passedMs = 0;
  const now = () => new Date(Date.now() + passedMs);
  const { woken, producer } = recordingProducer();
  const api = await startTestApi({ now, keyClock: () => now().getTime(), producer });
  let numbers = 0;
  const context = (changed: Partial<BulkActionContext> = {}): BulkActionContext => ({
    db: api.db,
    producer,
    providers: [],
    now,
    pause: async () => {},
    stopping: new AbortController().signal,
    reading: { holder: null },
    ...changed,
  });
  const due = () => dueRuns(api.db, 'bulk_actions', now(), 100);
  return {
    api,
    woken,
    now,
    context,
    due,
    pass: (seconds: number) => {
      passedMs += seconds * 1000;
    },
    /** Registers parcels of an account. @returns their ids. */
    parcels: (accountId: string, count: number) => {
      const names = Array.from({ length: count }, () => `YT${String(++numbers).padStart(13, '0')}`);
      return newTrackings(api.db, accountId, names, now());
    },
    start: (key: string, action: string, body: object = {}) => api.call('POST', `/bulk/${action}`, { key, body }),
    read: async (key: string, id: string) => (await api.call('GET', `/bulk/${id}`, { key })).body.data,
    /** Runs every bulk action that is due. */
    async runDue(changed: Partial<BulkActionContext> = {}) {
      for (const key of await due()) await runBulkAction(context(changed), key);
    },
  };
}

export type BulkTest = Awaited<ReturnType<typeof startBulkTest>>;
