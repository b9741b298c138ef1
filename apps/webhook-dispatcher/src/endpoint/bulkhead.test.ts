import { createAdmission } from './bulkhead.ts';
import { createFlows } from './concurrency-windows.ts';

const NOW = new Date('2026-03-09T04:05:06.000Z');

/** An admission with two places, whose works end when told to. */
function admission() {
  const alarms: unknown[] = [];
  const flows = createFlows();
  const { admit, count } = createAdmission(
    { flows, alarms: { at: (endpoint, at) => void alarms.push([endpoint, at]) }, now: () => NOW },
    2,
  );
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (webhookId: string, isFailing = false) =>
    admit({ webhookId, isFailing }, async () => {
      started.push(webhookId);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  return { admit, count, run, started, ends, alarms, flows };
}

test('failing and slow endpoints get half of the places, the others all', async () => {
  const { run, started, ends, alarms, flows } = admission();
  for (let n = 0; n < 50; n++) flows.note('slow', false, true, 9000);
  const works = [run('failing', true)];
  const late = { webhookId: 'slow', isFailing: false };
  await run('slow');
  expect(alarms).toEqual([[late, new Date(NOW.getTime() + 1000)]]);
  works.push(run('well'), run('well too'));
  expect(started).toEqual(['failing', 'well', 'well too']);
  for (const end of ends) end();
  await Promise.all(works);
  works.push(run('slow'));
  expect(started.at(-1)).toBe('slow');
  ends.at(-1)?.();
  await Promise.all(works);
});

test('one endpoint is worked for once at a time, and counted once', async () => {
  const { run, count, started, ends } = admission();
  const works = [run('a'), run('a'), run('b')];
  await new Promise(setImmediate);
  expect(started).toEqual(['a', 'b']);
  expect(count()).toBe(2);
  ends[0]?.();
  await works[0];
  await new Promise(setImmediate);
  expect(started).toEqual(['a', 'b', 'a']);
  for (const end of ends) end();
  await Promise.all(works);
  expect(count()).toBe(0);
});

test('work that fails gives its place back', async () => {
  const { admit, count, run, ends, alarms } = admission();
  const fails = admit({ webhookId: 'a', isFailing: true }, () => Promise.reject(new Error('Postgres is away')));
  await expect(fails).rejects.toThrow('Postgres is away');
  expect(count()).toBe(0);
  const again = run('a', true);
  await new Promise(setImmediate);
  expect(alarms).toEqual([]);
  ends[0]?.();
  await again;
});
