import { createSharedClock } from './clock.ts';

const NOON = Date.parse('2026-03-09T12:00:00.000Z');
const HOUR_MS = 3_600_000;

/** A database at noon and a machine whose clock is wrong by an offset; both move with `pass`. */
function clocks({ skewMs = 0 } = {}) {
  let passed = 0;
  let wrong = skewMs;
  let readingMs = 0;
  const lines: string[] = [];
  const say = (_fields: unknown, text: string) => lines.push(text);
  const clock = createSharedClock({
    read: async () => {
      passed += readingMs / 2;
      const at = new Date(NOON + passed);
      passed += readingMs / 2;
      return at;
    },
    logger: { warn: say, info: say } as never,
    elapsed: () => passed,
    machine: () => NOON + passed + wrong,
  });
  return {
    clock,
    lines,
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

test.each([HOUR_MS, -HOUR_MS])(
  'a machine that is %i ms off uses the correct time, and logs that once',
  async (skewMs) => {
    const { clock, error, pass, lines } = clocks({ skewMs });
    await clock.sync();
    for (let n = 0; n < 3; n++) {
      pass(5000);
      expect(error()).toBe(0);
      await clock.sync();
    }
    expect(clock.skewSeconds()).toBe(skewMs / 1000);
    expect(lines).toEqual(["this machine's clock is wrong; the database's clock is used instead"]);
  },
);

test('changing the clock while the process runs makes no difference', async () => {
  const { clock, error, set, lines } = clocks();
  await clock.sync();
  set({ skewMs: HOUR_MS });
  expect(error()).toBe(0);
  await clock.sync();
  set({ skewMs: 0 });
  await clock.sync();
  expect(lines).toHaveLength(2);
});

test('a reading counts from its middle, and a slow one is ignored', async () => {
  const { clock, error, set } = clocks();
  set({ readingMs: 800 });
  await clock.sync();
  expect(error()).toBe(0);
  set({ readingMs: 30_000 });
  await clock.sync();
  expect(error()).toBe(0);
});
