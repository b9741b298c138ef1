import { createBulkhead } from './bulkhead.ts';
import { createConcurrencyWindows } from './concurrency-windows.ts';

const NOW = new Date('2026-03-09T04:05:06.000Z');

/** A bulkhead with two places; `ends` finishes the work in them. */
function bulkhead() {
  const wakeTimers: unknown[] = [];
  const windows = createConcurrencyWindows();
  const { admit } = createBulkhead(
    { windows, wakeTimers: { at: (endpoint, at) => void wakeTimers.push([endpoint, at]) }, now: () => NOW },
    2,
  );
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (webhookId: string, isFailing = false) =>
    admit({ webhookId, accountId: 'a', isFailing }, async () => {
      started.push(webhookId);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  return { admit, run, started, ends, wakeTimers, windows };
}

test('failing and slow endpoints get half of the places, the others all', async () => {
  const { run, started, ends, wakeTimers, windows } = bulkhead();
  for (let n = 0; n < 50; n++) windows.note('slow', false, true, 9000);
  const works = [run('failing', true)];
  const late = { webhookId: 'slow', accountId: 'a', isFailing: false };
  await run('slow');
  expect(wakeTimers).toEqual([[late, new Date(NOW.getTime() + 1000)]]);
  works.push(run('well'), run('well too'));
  expect(started).toEqual(['failing', 'well', 'well too']);
  for (const end of ends) end();
  await Promise.all(works);
  works.push(run('slow'));
  expect(started.at(-1)).toBe('slow');
  ends.at(-1)?.();
  await Promise.all(works);
});
