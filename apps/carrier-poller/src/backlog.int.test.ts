import { takeTurns } from '@pts/db/providers/pace';
import { pauseProvider } from '@pts/db/providers/pauses';
import { createExecutor } from '@pts/queue/executor';
import { freshNumber } from '@pts/testing/factories';
import { createBacklogReport } from './backlog.ts';
import { found, openPollerTest, type PollerTest, scriptedProvider } from './test-poller.ts';
import { learnTrouble } from './trouble.ts';

let world: PollerTest;
const lines: object[] = [];
beforeEach(async () => {
  lines.length = 0;
  world = await openPollerTest();
});
afterEach(() => world.close());

const provider = scriptedProvider(() => found());
const executor = () => createExecutor({ places: 1, mostWaiting: 1, onError: () => {} });
const keep = (fields: object) => void lines.push(fields);

/** The report of a poller that serves the provider, while nothing else claims its checks. */
function reportOf(more: { executor?: ReturnType<typeof executor>; isFar?(): boolean } = {}) {
  const { db, metrics, memory, now } = world.depsFor(provider);
  const pace = { turn: async () => 0, isFar: more.isFar ?? (() => false) };
  const logger = { warn: keep, info: keep } as never;
  const report = createBacklogReport({
    ...{ db, metrics, memory, now, logger },
    parts: [{ provider, pace, executor: more.executor ?? executor() }],
  });
  const value = async (name: string) => {
    const text = await metrics.registry.getSingleMetricAsString(name);
    return Number(/provider="scripted".*\} (\S+)/.exec(text)?.[1]);
  };
  return { report, value };
}

/** A parcel that became due a minute ago, and six reports of its backlog, fifteen seconds apart. */
async function sixReports({ report }: ReturnType<typeof reportOf>): Promise<void> {
  const accountId = await world.account();
  await world.watch(accountId, freshNumber(), { provider: provider.name });
  world.clock.pass(60);
  for (let n = 0; n < 6; n++) {
    await report();
    await world.watch(accountId, freshNumber(), { provider: provider.name });
    world.clock.pass(15);
  }
}

test('unclaimed checks although this process is idle cause one warning, with their number and age', async () => {
  const given = reportOf();
  await sixReports(given);
  expect(lines).toEqual([{ provider: 'scripted', due: 4, oldestSeconds: 105 }]);
  expect(await given.value('pts_backlog_growing')).toBe(1);
  expect(await given.value('pts_checks_oldest_due_seconds')).toBe(135);
  await world.db.check.deleteMany();
  await given.report();
  expect(await given.value('pts_backlog_growing')).toBe(0);
  expect(lines).toHaveLength(2);
});

describe('no alarm', () => {
  test('while the provider is paused, or its budget is spent', async () => {
    const until = new Date(world.clock.now().getTime() + 3_600_000);
    const { memory } = world.depsFor(provider);
    await pauseProvider(world.db, provider.name, until, world.clock.now());
    learnTrouble({ provider, memory }, { provider: provider.name, pausedUntil: until } as never);
    await sixReports(reportOf());
    expect(lines).toEqual([]);
  });

  test('while processes use all turns of its rate', async () => {
    await takeTurns(world.db, { provider: provider.name, count: 1, spacingMs: 3_600_000, mostWaitMs: 1 });
    await sixReports(reportOf());
    expect(lines).toEqual([]);
  });

  test('while its next turn is far away', async () => {
    await sixReports(reportOf({ isFar: () => true }));
    expect(lines).toEqual([]);
  });

  test('while this process has no free place for it', async () => {
    const busy = executor();
    let end = () => {};
    busy.start(() => new Promise<void>((resolve) => (end = resolve)));
    await sixReports(reportOf({ executor: busy }));
    end();
    expect(lines).toEqual([]);
  });
});
