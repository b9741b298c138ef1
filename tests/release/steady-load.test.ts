import { type ChaosOptions, type ChaosResult, faultLine, runChaos, summary } from '../../chaos/run.ts';

/** One after the other, as many as fit into a short time. */
const SHORT = { seed: 3, minutes: 0.6, recoverySeconds: 300, patienceSeconds: 180, rate: 0.5 };

/** The result, which is printed when it does not balance. */
async function run(options: ChaosOptions) {
  const lines: string[] = [];
  const result = await runChaos(
    options,
    (line) => lines.push(line),
    (figures) => lines.push(faultLine(figures)),
  );
  return { result, report: [...lines, summary(result)].join('\n') };
}

async function expectBalance(options: ChaosOptions & { faults: readonly string[] }): Promise<ChaosResult> {
  const { result, report } = await run(options);
  process.stdout.write(`${report}\n`);
  expect(result.discrepancies).toEqual([]);
  expect(result.faults.map(({ name }) => name).sort()).toEqual([...options.faults].sort());
  expect(result.totals.events).toBeGreaterThan(0);
  return result;
}

test.each([
  ['redis', ['redis-flush', 'kill-one']],
  ['postgres', ['postgres-restart-immediate', 'skewed-clocks']],
] as const)(
  'under a steady load on %s, %j lose nothing and duplicate nothing',
  async (store, faults) => {
    await expectBalance({ ...SHORT, store, faults });
  },
  1_500_000,
);

test('after an asynchronous failover, readers of the feed get every event, and readers by numbers alone skip some', async () => {
  const { totals } = await expectBalance({ ...SHORT, store: 'postgres', faults: ['postgres-failover'], rate: 1 });
  expect(totals.lostEvents).toBeGreaterThan(0);
  expect(totals.resumedReaders).toBeGreaterThan(0);
  // The negative control: cursors that are plain numbers.
  expect(totals.skippedByNumbers).toBeGreaterThan(0);
}, 900_000);

test('after a restored dump, readers of the feed get every event, and no number means two states', async () => {
  const { totals } = await expectBalance({ ...SHORT, store: 'redis', faults: ['postgres-restore'], rate: 1 });
  expect(totals.lostEvents).toBeGreaterThan(0);
  expect(totals.resumedReaders).toBeGreaterThan(0);
}, 900_000);

test('without the sweeps, the ledger does not balance', async () => {
  const { result } = await run({
    ...SHORT,
    minutes: 0.3,
    store: 'postgres',
    faults: ['kill-one'],
    without: 'sweeps',
    patienceSeconds: 5,
  });
  const promises = new Set(result.discrepancies.map(({ promise }) => promise));
  expect(promises).toContain("the final state is the carrier's");
}, 600_000);
