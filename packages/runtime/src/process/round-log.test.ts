import { createRoundLog } from './loop.ts';

type Line = { level: string; failures: number; seconds: number };

function recorded() {
  const lines: Line[] = [];
  const write = (level: string) => (fields: unknown) => void lines.push({ level, ...(fields as Omit<Line, 'level'>) });
  const logger = { error: write('error'), info: write('info') } as unknown as Parameters<typeof createRoundLog>[0];
  return { lines, log: createRoundLog(logger, {}) };
}

test('an outage is its first failure, one line a minute, and its end', () => {
  const { lines, log } = recorded();
  for (let at = 0; at < 150_000; at += 1000) log.failed(new Error('away'), at);
  log.ended(150_000);
  expect(lines).toEqual([
    { level: 'error', err: new Error('away'), failures: 1, seconds: 0 },
    { level: 'error', err: new Error('away'), failures: 61, seconds: 60 },
    { level: 'error', err: new Error('away'), failures: 121, seconds: 120 },
    { level: 'info', failures: 150, seconds: 150 },
  ]);
});

test('success is not logged, and the next outage starts over', () => {
  const { lines, log } = recorded();
  log.ended(0);
  log.failed(new Error('away'), 1000);
  log.ended(2000);
  log.ended(3000);
  log.failed(new Error('away'), 4000);
  expect(lines.map(({ level, failures }) => [level, failures])).toEqual([
    ['error', 1],
    ['info', 1],
    ['error', 1],
  ]);
});
