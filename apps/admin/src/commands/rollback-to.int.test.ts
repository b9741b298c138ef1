import { setTimeout as delay } from 'node:timers/promises';
import { claimChecks } from '@pts/db/checks/claim';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { databasePerTest } from '../testing/database-per-test.ts';

const database = databasePerTest();

const run = (...argv: string[]) => database.run(['rollback-to', ...argv]);

/** Checks that wait for their slots, as pollers of this release leave them. */
async function inSlots(count: number) {
  const { db } = database;
  const now = new Date();
  const numbers = Array.from({ length: count }, freshNumber);
  await newTrackings(db, await newAccount(db, now), numbers, now);
  await db.check.updateMany({ data: { fingerprint: 'seen' } });
  const cadence = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
  await claimChecks(db, { provider: 'scripted', limit: count, cadence, now });
  return now;
}
const times = async () => (await database.db.check.findMany()).map(({ nextCheckAt }) => nextCheckAt.getTime());
const inTheYear9999 = (time: number) => new Date(time).getUTCFullYear() === 9999;

test('release 0.2.0 makes all checks afterwards, and a second run has nothing to do', async () => {
  const now = await inSlots(25);
  expect((await times()).every(inTheYear9999)).toBe(true);
  const first = await run('0.2.0');
  expect(first).toEqual({
    code: 0,
    stdout: 'Checks that got a time at which release 0.2.0 makes them: 25. Left: 0.\n',
    stderr: '',
  });
  expect(Math.max(...(await times()))).toBeLessThan(now.getTime() + 2 * 3_600_000);
  const again = await run('v0.2.0', '--json');
  expect(JSON.parse(again.stdout)).toEqual({ moved: 0, left: 0, dry_run: false });
});

test('a dry run only counts', async () => {
  await inSlots(3);
  const { code, stdout } = await run('0.2.0', '--dry-run', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([0, { moved: 3, left: 3, dry_run: true }]);
  expect((await times()).every(inTheYear9999)).toBe(true);
});

/** Three checks in slots, one of which is locked while `work` runs. */
async function withOneLocked<T>(work: () => Promise<T>): Promise<T> {
  await inSlots(3);
  const [{ trackingId = '' } = {}] = await database.db.check.findMany();
  return database.db.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM public.checks WHERE tracking_id = ${trackingId} FOR UPDATE`;
      return await work();
    },
    { timeout: 60_000 },
  );
}

test('a check that a poller keeps for a moment is waited for', async () => {
  const command = await withOneLocked(async () => {
    const running = run('0.2.0');
    await eventually(async () => expect((await times()).filter(inTheYear9999)).toHaveLength(1));
    // A poller that the machine does not let run keeps its lock for as long.
    await Promise.race([running, delay(300)]);
    return { running };
  });
  const { code, stdout } = await command.running;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/: 3\. Left: 0\.\n$/)]);
});

test('while a poller of this release keeps a check, the command fails and says what to do', async () => {
  const { code, stdout } = await withOneLocked(() => run('0.2.0'));
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/: 2\. Left: 1\.\n.*Stop it and run this command again\.\n$/),
  ]);
  expect((await run('0.2.0')).stdout).toMatch(/: 1\. Left: 0\.\n$/);
});

test.each(['0.1.0', '0.3.0', 'latest'])(
  '%s is refused: later releases need nothing, earlier ones cannot run',
  async (version) => {
    const { code, stderr } = await run(version);
    const message = `Only 0.2.0 needs this, not "${version}": to return to a later release, replace the processes.`;
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  },
);
