import { eventually } from '@pts/testing/eventually';
import { createWakeTimers } from './sweeps.ts';

const inMs = (ms: number) => new Date(Date.now() + ms);
const endpoint = (webhookId: string) => ({ webhookId, accountId: 'a', isFailing: true });

function wakeTimers() {
  const woken: { webhookId: string; at: number }[] = [];
  const wake = ({ webhookId }: { webhookId: string }) => void woken.push({ webhookId, at: Date.now() });
  return { woken, ids: () => woken.map(({ webhookId }) => webhookId), ...createWakeTimers(wake, () => new Date()) };
}

test('an endpoint is woken once its attempt is due, and not a moment before', async () => {
  const { at, woken } = wakeTimers();
  for (let n = 0; n < 20; n++) {
    const due = inMs(5);
    at(endpoint(String(n)), due);
    await eventually(() => expect(woken).toHaveLength(n + 1), { everyMs: 1 });
    expect(woken[n]?.at).toBeGreaterThanOrEqual(due.getTime());
  }
});

test('of several times, only the earliest counts, once', async () => {
  const { at, ids, stop } = wakeTimers();
  for (const ms of [4000, 20, 3000]) at(endpoint('a'), inMs(ms));
  at(endpoint('b'), inMs(60));
  await eventually(() => expect(ids()).toEqual(['a', 'b']));
  stop();
});

test('an overdue one fires at once; one due after the next sweep waits only in Postgres', async () => {
  const { at, ids, stop } = wakeTimers();
  at(endpoint('late'), inMs(5500));
  at(endpoint('late'), inMs(20_000));
  at(endpoint('overdue'), inMs(-1000));
  await eventually(() => expect(ids()).toEqual(['overdue']));
  // If a later timer had been set, this earlier one would have replaced it and fired.
  at(endpoint('late'), inMs(1));
  await eventually(() => expect(ids()).toEqual(['overdue', 'late']));
  stop();
});
