import { createFailureLog } from './failure-log.ts';

const START = Date.parse('2026-03-09T04:05:06Z');
let at: number;
let lines: [level: string, message: string, fields: Record<string, unknown>][];
let log: ReturnType<typeof createFailureLog>;
beforeEach(() => {
  at = START;
  lines = [];
  const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push([level, message, fields]);
  log = createFailureLog({ info: write('info'), warn: write('warn') } as never, () => new Date(at));
});

const attempt = (webhookId: string, statusCode: number, more = {}) =>
  log.attempted({
    webhookId,
    accountId: `of ${webhookId}`,
    statusCode,
    attempt: 1,
    ...(statusCode === 200 ? { state: 'delivered', error: null } : { state: 'owed', error: `status ${statusCode}` }),
    ...more,
  } as Parameters<typeof log.attempted>[0]);

/** Lets time pass as a process does: it looks every 5 seconds. */
function pass(seconds: number, inBetween = () => {}): void {
  for (const end = at + seconds * 1000; at < end; ) {
    at += 5000;
    inBetween();
    log.report();
  }
}
const logged = () => lines.map(([level, message]) => `${level} ${message}`);

test('a dead receiver is logged when it starts to fail, once a minute with counts, and when it recovers', () => {
  const failMuch = () => {
    for (let n = 0; n < 100; n++) attempt('a', 503);
  };
  failMuch();
  pass(180, failMuch);
  attempt('a', 200);
  attempt('a', 200);
  expect(logged()).toEqual([
    'warn endpoint failing',
    ...Array.from({ length: 3 }, () => 'warn endpoint still failing'),
    'info endpoint recovered',
  ]);
  expect(lines[0]?.[2]).toMatchObject({ webhookId: 'a', accountId: 'of a', statusCode: 503, error: 'status 503' });
  expect(lines.reduce((sum, [, , { failures }]) => sum + Number(failures), 0)).toBe(100 + 36 * 100);
  expect(lines.at(-1)?.[2]).toMatchObject({ failingSeconds: 180 });
});

test('an endpoint that has no trouble is not mentioned', () => {
  attempt('a', 200);
  pass(120, () => attempt('a', 200));
  expect(lines).toEqual([]);
});

test('a thousand dead endpoints write no more than thirty lines a minute, and are all counted', () => {
  const all = () => {
    for (let n = 0; n < 1000; n++) attempt(`e${n}`, 503);
  };
  all();
  pass(600, all);
  expect(lines.length).toBeLessThanOrEqual(11 * 31);
  const sums = lines.filter(([, message]) => message === 'more endpoints failing');
  expect(sums.length).toBeGreaterThanOrEqual(9);
  expect(sums[0]?.[2]).toMatchObject({ endpoints: 980 });
  const failures = lines.reduce((sum, [, , fields]) => sum + Number(fields.failures), 0);
  // The last minute's are not logged yet.
  expect(failures).toBeGreaterThanOrEqual(1000 * (1 + 108 - 12));
  for (let n = 0; n < 1000; n++) attempt(`e${n}`, 200);
  pass(60);
  expect(lines.at(-1)).toMatchObject(['warn', 'more endpoints failing', { recovered: expect.any(Number) }]);
});

test('an address in an error is shown without its query', () => {
  attempt('a', 0, { error: 'cannot reach https://hooks.example/x?token=hunter2&b=1 at all' });
  expect(lines[0]?.[2].error).toBe('cannot reach https://hooks.example/x?*** at all');
});

test('what the account must not see of an error is logged for the operator', () => {
  attempt('a', 0, { error: 'dns: not public', detail: 'a.example resolves to a refused address: 10.0.0.1' });
  expect(lines[0]?.[2]).toMatchObject({
    error: 'dns: not public',
    detail: 'a.example resolves to a refused address: 10.0.0.1',
  });
});
