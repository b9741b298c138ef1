import { createSharedClock, startClockLoop } from './clock.ts';

const NOON = Date.parse('2026-03-09T12:00:00.000Z');
const HOUR_MS = 3_600_000;

/** A database at noon and a machine whose clock is wrong by an offset; both move with `pass`. */
function clocks({ skewMs = 0 } = {}) {
  let passed = 0;
  let wrong = skewMs;
  let readingMs = 0;
  const clock = createSharedClock({
    read: async () => {
      passed += readingMs / 2;
      const at = new Date(NOON + passed);
      passed += readingMs / 2;
      return at;
    },
    elapsed: () => passed,
    machine: () => NOON + passed + wrong,
  });
  return {
    clock,
    /** The difference from the correct time, in milliseconds. */
    error: () => clock.now().getTime() - (NOON + passed),
    pass: (ms: number) => {
      passed += ms;
    },
    set: (more: { skewMs?: number; readingMs?: number }) => {
      wrong = more.skewMs ?? wrong;
      readingMs = more.readingMs ?? readingMs;
    },
  };
}

test.each([
  [93_600_000, "clock is 93,600 s ahead of PostgreSQL's, so the process takes no work"],
  [-HOUR_MS, "clock is 3,600 s behind PostgreSQL's, so the process takes no work"],
  [6000, "clock is 6 s ahead of PostgreSQL's, so the process takes no work"],
])('a machine that is %i ms off is not fit for work, and goes by the correct time', async (skewMs, reason) => {
  const { clock, error, pass } = clocks({ skewMs });
  expect(clock.check()).toEqual({ state: 'starting' });
  for (let n = 0; n < 3; n++) {
    await clock.sync();
    expect([error(), clock.skewSeconds(), clock.isRight()]).toEqual([0, skewMs / 1000, false]);
    expect(clock.check()).toEqual({ state: 'unfit', reason });
    pass(5000);
  }
});

test('a clock that is set wrong and right again is noticed at once, before the next reading', async () => {
  const { clock, error, set } = clocks({ skewMs: 4000 });
  await clock.sync();
  expect([clock.isRight(), clock.check()]).toEqual([true, { state: 'ok' }]);
  set({ skewMs: HOUR_MS });
  expect([error(), clock.isRight()]).toEqual([0, false]);
  set({ skewMs: 0 });
  expect([error(), clock.isRight()]).toEqual([0, true]);
});

test('a slow database is not a wrong clock', async () => {
  const { clock, error, set } = clocks({ skewMs: 9000 });
  set({ readingMs: 20_000 });
  await clock.sync();
  // The reading is up to ten seconds wrong.
  expect(clock.isRight()).toBe(true);
  set({ readingMs: 800 });
  await clock.sync();
  expect(clock.isRight()).toBe(false);
  set({ skewMs: 0, readingMs: 30_000 });
  await clock.sync();
  expect([error(), clock.isRight()]).toEqual([0, true]);
});

test('the log tells once that the clock is wrong, and the metric by how much', async () => {
  const { clock, set } = clocks({ skewMs: HOUR_MS });
  const lines: string[] = [];
  const values: number[] = [];
  const say = (_fields: unknown, text: string) => void lines.push(text);
  const round = () =>
    new Promise<void>((resolve) => {
      const skew = { set: (value: number) => void values.push(value) } as never;
      // A loop that is stopped at once ends after its first round.
      startClockLoop(clock, { warn: say, info: say } as never, skew)
        .stop()
        .then(resolve);
    });
  await round();
  set({ skewMs: -2000 });
  await round();
  expect(values).toEqual([3600, -2]);
  expect(lines).toEqual(["clock is 3,600 s ahead of PostgreSQL's, so the process takes no work"]);
});
