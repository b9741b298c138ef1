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

test('one that fails every other time is logged twice and then once a minute', () => {
  const mixed = () => {
    for (let n = 0; n < 50; n++) attempt('a', n % 2 === 0 ? 500 : 200);
  };
  mixed();
  pass(120, mixed);
  expect(logged()).toEqual([
    'warn endpoint failing',
    'info endpoint recovered',
    'warn endpoint failing at times',
    'warn endpoint failing at times',
  ]);
  expect(lines[2]?.[2]).toMatchObject({ failures: 24 + 12 * 25, delivered: 24 + 12 * 25 });
});

test('one that fails again after a quiet minute is logged at once', () => {
  attempt('a', 500);
  attempt('a', 200);
  pass(65);
  attempt('a', 500);
  expect(logged()).toEqual(['warn endpoint failing', 'info endpoint recovered', 'warn endpoint failing']);
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

test('a newly failing endpoint is named although many endpoints have been failing for long', () => {
  const many = () => {
    for (let n = 0; n < 100; n++) attempt(`e${n}`, 503);
  };
  many();
  pass(150, many);
  attempt('new', 500);
  expect(lines.at(-1)).toMatchObject(['warn', 'endpoint failing', { webhookId: 'new' }]);
});

test('a disabled endpoint is logged only once', () => {
  attempt('a', 410);
  log.disabled('a', 'it is gone');
  pass(180);
  expect(logged()).toEqual(['warn endpoint failing', 'warn endpoint disabled']);
});

test('abandoned deliveries are counted', () => {
  attempt('a', 500);
  attempt('a', 500, { state: 'exhausted', attempt: 14 });
  pass(60);
  expect(lines.at(-1)?.[2]).toMatchObject({ failures: 1, gaveUp: 1 });
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
