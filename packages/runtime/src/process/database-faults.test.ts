import { createDatabaseFaults } from './database-faults.ts';

const AWAY = new Error('connect ECONNREFUSED');
const LOCKED = new Error('the database has not answered within 650 ms');

function recorded() {
  const lines: [level: string, text: string, faults: number, seconds: number][] = [];
  const write = (level: string) => (fields: unknown, text: string) => {
    const { faults, seconds } = fields as { faults: number; seconds: number };
    lines.push([level, text, faults, seconds]);
  };
  const clock = { ms: 0, faults: 0 };
  const { took, answered } = createDatabaseFaults({
    counter: {
      inc: () => {
        clock.faults += 1;
      },
    },
    logger: { error: write('error'), info: write('info') } as never,
    kindOf: (error) => (error === AWAY ? 'unreachable' : error === LOCKED ? 'slow' : null),
    elapsed: () => clock.ms,
  });
  return { lines, clock, took, answered };
}

test('an outage is one line a minute, however much fails, and its end', () => {
  const { lines, clock, took, answered } = recorded();
  for (clock.ms = 0; clock.ms < 90_000; clock.ms += 100) expect(took(AWAY)).toBe(true);
  clock.ms += 10_000;
  answered();
  expect(lines).toEqual([
    ['error', 'the database is unavailable', 1, 0],
    ['error', 'the database is unavailable', 601, 60],
    ['info', 'the database is available again', 900, 90],
  ]);
  expect(clock.faults).toBe(900);
});

test('answers between the errors do not end an outage', () => {
  const { lines, clock, took, answered } = recorded();
  for (; clock.ms < 30_000; clock.ms += 5000) {
    took(AWAY);
    answered();
  }
  expect(lines).toHaveLength(1);
});

test('a statement that waits for a lock is slow: nobody reads that the database is unavailable', () => {
  const { lines, clock, took, answered } = recorded();
  for (; clock.ms < 150_000; clock.ms += 1000) expect(took(LOCKED)).toBe(true);
  clock.ms += 10_000;
  answered();
  expect(new Set(lines.map(([, text]) => text))).toEqual(
    new Set(['a statement took too long', 'statements are fast enough again']),
  );
});

test('any other error is left to the caller', () => {
  const { lines, clock, took } = recorded();
  expect(took(new Error('division by zero'))).toBe(false);
  expect([lines, clock.faults]).toEqual([[], 0]);
});
