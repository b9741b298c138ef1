import { freshNumber } from '@pts/testing/factories';
import type { PollerDeps } from './deps.ts';
import { createCalls } from './pace.ts';
import { reportDue } from './sweeps.ts';
import { found, openPollerTest, type PollerTest, scriptedProvider } from './testing/test-poller.ts';

let world: PollerTest;
beforeEach(async () => {
  world = await openPollerTest();
});
afterEach(() => world.close());

const provider = scriptedProvider(() => found());

/** The report of a poller that serves the provider. */
function reportOf({ isFar = () => false, db = world.db }: { isFar?(): boolean; db?: PollerDeps['db'] } = {}) {
  const deps = world.depsFor(provider, { db });
  const calls = createCalls(() => world.clock.now().getTime());
  const part = { ...deps, pace: { permit: async () => 0, isFar, calls } };
  const value = async (name: string) => {
    const text = await deps.metrics.registry.getSingleMetricAsString(name);
    const [, number] = /scripted".*\} (\S+)/.exec(text) ?? [];
    return number === undefined ? 'absent' : Number(number);
  };
  const values = async () => ({
    signal: await value('pts_work_oldest_due_seconds'),
    due: await value('pts_checks_due'),
    oldest: await value('pts_checks_oldest_due_seconds'),
  });
  return { deps, calls, values, round: () => reportDue({ ...deps, parts: [part] }) };
}

async function watchOne(): Promise<string> {
  return world.watch(await world.account(), freshNumber(), { provider: provider.name });
}

test('checks that nobody claims are reported with the age of the oldest, until they are made', async () => {
  const { round, values } = reportOf();
  await watchOne();
  world.clock.pass(60);
  await watchOne();
  world.clock.pass(75);
  await round();
  expect(await values()).toEqual({ signal: 135, due: 2, oldest: 135 });
  await world.db.check.deleteMany();
  await round();
  expect(await values()).toEqual({ signal: 0, due: 0, oldest: 'absent' });
});

test('checks that the provider holds back, by its rate or by the time of its calls, are late and no fault', async () => {
  await watchOne();
  world.clock.pass(135);
  const far = reportOf({ isFar: () => true });
  await far.round();
  expect(await far.values()).toEqual({ signal: 0, due: 1, oldest: 135 });
  const busy = reportOf();
  let end = () => {};
  const calls = [1, 2].map(() => busy.calls.count(() => new Promise<void>((resolve) => (end = resolve))));
  world.clock.pass(15);
  await busy.round();
  expect(await busy.values()).toEqual({ signal: 0, due: 1, oldest: 150 });
  end();
  await Promise.race(calls);
});

test('what the database does not say is not shown', async () => {
  const given = reportOf();
  await watchOne();
  await given.round();
  const away = new Proxy(world.db, {
    get: () => {
      throw new Error('PostgreSQL is unreachable');
    },
  });
  await expect(reportDue({ ...given.deps, db: away, parts: [] })).rejects.toThrow('PostgreSQL is unreachable');
  expect(await given.values()).toEqual({ signal: 'absent', due: 'absent', oldest: 'absent' });
});
