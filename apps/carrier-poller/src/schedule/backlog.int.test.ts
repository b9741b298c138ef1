import { takeDue } from '@pts/db/checks/schedule';
import { freshNumber } from '@pts/testing/factories';
import { query } from '../check/query.ts';
import { createCalls } from '../provider/calls.ts';
import { found, openPollerTest, type PollerTest, scriptedProvider } from '../testing/test-poller.ts';
import { createBacklogReport } from './backlog.ts';
import type { SweepDeps } from './sweep.ts';
import { sweepDue } from './sweep.ts';

let world: PollerTest;
const lines: object[] = [];
beforeEach(async () => {
  lines.length = 0;
  world = await openPollerTest();
});
afterEach(() => world.close());

const provider = scriptedProvider(() => found());
const keep = (fields: object) => void lines.push(fields);

/** The report of a poller that serves the provider. */
function reportOf(more: { deps?: SweepDeps; isFar?(): boolean } = {}) {
  const { db, metrics, memory, now, claimOutcomes } = more.deps ?? world.depsFor(provider);
  const calls = createCalls(() => world.clock.now().getTime());
  const pace = { permit: async () => 0, isFar: more.isFar ?? (() => false), calls };
  const logger = { warn: keep, info: keep } as never;
  const { round, details } = createBacklogReport({
    ...{ db, metrics, memory, now, logger },
    parts: [{ provider, pace, claimOutcomes }],
  });
  const value = async (name: string) => {
    const text = await metrics.registry.getSingleMetricAsString(name);
    const [, number] = /provider="scripted".*\} (\S+)/.exec(text) ?? [];
    return number === undefined ? 'absent' : Number(number);
  };
  const values = async () => ({
    growing: await value('pts_backlog_growing'),
    due: await value('pts_checks_due'),
    oldest: await value('pts_checks_oldest_due_seconds'),
  });
  return { round, details, values, calls };
}

async function watchOne(): Promise<string> {
  return world.watch(await world.account(), freshNumber(), { provider: provider.name });
}

/** A parcel that became due a minute ago, and six reports of its backlog, fifteen seconds apart. */
async function sixReports({ round }: ReturnType<typeof reportOf>, between = async () => {}): Promise<void> {
  const accountId = await world.account();
  await world.watch(accountId, freshNumber(), { provider: provider.name });
  world.clock.pass(60);
  for (let n = 0; n < 6; n++) {
    await round();
    await world.watch(accountId, freshNumber(), { provider: provider.name });
    await between();
    world.clock.pass(15);
  }
}

test('checks that nobody claims cause one warning, with their age', async () => {
  const given = reportOf();
  await sixReports(given);
  expect(lines).toEqual([{ provider: 'scripted', finding: 'growing', oldestSeconds: 105 }]);
  expect(await given.values()).toEqual({ growing: 1, due: 6, oldest: 135 });
  expect(given.details()).toEqual({ scripted: expect.stringMatching(/^growing: .* 135 s$/) });
  await world.db.check.deleteMany();
  await given.round();
  expect(await given.values()).toEqual({ growing: 0, due: 0, oldest: 'absent' });
  expect(lines).toHaveLength(2);
});

test('claims that succeed, but too slowly, cause a warning, also while fewer and fewer checks are due', async () => {
  const accountId = await world.account();
  for (let n = 0; n < 20; n++) await world.watch(accountId, freshNumber(), { provider: provider.name });
  await world.db.check.updateMany({ data: { fingerprint: 'seen' } });
  const deps = world.depsFor(provider);
  const claimTwo = async () => {
    const claim = { provider: provider.name, limit: 2, cadence: deps.cadence, now: world.clock.now() };
    const { checks, settle } = await deps.claimOutcomes.run(() => takeDue(world.db, claim));
    expect(checks).toHaveLength(2);
    await settle();
  };
  const given = reportOf({ deps });
  await sixReports(given, claimTwo);
  expect(await given.values()).toEqual({ growing: 1, due: 16, oldest: 135 });
  expect(given.details()).toEqual({ scripted: expect.stringMatching(/^growing/) });
});

describe('claims that fail', () => {
  const REFUSED = 'no check can be claimed';
  beforeEach(async () => {
    await world.db.$executeRawUnsafe(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '${REFUSED}'; END $$`);
    await world.db.$executeRaw`CREATE TRIGGER refuse BEFORE UPDATE ON public.checks EXECUTE FUNCTION refuse()`;
  });

  test.each<[string, (deps: SweepDeps, id: string) => Promise<unknown>]>([
    ['of the sweep', (deps) => sweepDue(deps)],
    ['of jobs', async (deps, id) => query(deps, await world.parcels(id))],
  ])('%s cause a warning within a minute, and another line once they succeed', async (_whose, claim) => {
    const id = await watchOne();
    const deps = world.depsFor(provider);
    const given = reportOf({ deps });
    for (let n = 0; n < 4; n++) {
      expect(lines).toEqual([]);
      world.clock.pass(15);
      await expect(claim(deps, id)).rejects.toThrow(REFUSED);
      await given.round();
    }
    expect(lines).toEqual([{ provider: 'scripted', finding: 'failing', oldestSeconds: 60 }]);
    expect(await given.values()).toEqual({ growing: 1, due: 1, oldest: 60 });
    expect(given.details()).toEqual({ scripted: expect.stringMatching(/^failing: /) });
    await world.db.$executeRaw`DROP TRIGGER refuse ON public.checks`;
    await claim(deps, id);
    await given.round();
    expect(await given.values()).toEqual({ growing: 0, due: 0, oldest: 'absent' });
    expect(given.details()).toEqual({ scripted: 'ok' });
    expect(lines).toHaveLength(2);
  });
});
