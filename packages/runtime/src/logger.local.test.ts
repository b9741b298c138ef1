import { type Ended, type Programs, prepareProgram } from './testing/program.ts';

const SOURCE = `
  import { createLogger } from './logger.ts';

  process.once('message', ({ burst, exits, ...options }: { burst?: boolean; exits?: boolean; level: string; format: string }) => {
    const [logger] = Array.from({ length: 20 }, () => createLogger({ app: 'api', ...options }));
    for (let line = 0; burst && line < 1000; line++) logger.info('a long line'.repeat(2000));
    if (burst) process.stdout.once('drain', () => logger.info('all that was kept is read'));
    logger.debug('not said at info');
    logger.info({ trackingId: 'abc', count: 2, ids: [1, 2], ok: true }, 'parcels changed');
    logger.warn({ config: { port: 8080 } }, 'without fields');
    const cause = Object.assign(new Error('away'), { code: '57P01' });
    logger.error({ err: Object.assign(new Error('boom', { cause }), { client: { password: 'hunter2' } }) }, 'failed');
    logger.warn({ err: 'no answer within 500 ms' }, 'queue outage');
    if (exits) process.exit();
    process.disconnect();
  });
`;

let programs: Programs;
let json: Ended;
let pretty: Ended;
const run = (options: { burst?: boolean; exits?: boolean; level: string; format: string }) => {
  const { child, ended } = programs.start();
  child.send(options);
  return ended;
};
const linesOf = ({ stdout }: Ended) => stdout.trimEnd().split('\n');

beforeAll(async () => {
  programs = await prepareProgram(SOURCE);
  json = await run({ level: 'info', format: 'json' });
  pretty = await run({ level: 'info', format: 'pretty' });
});
afterAll(() => programs.remove());

describe('the format json', () => {
  test('is one object per line, with the app, the level as a word, the time and the fields', () => {
    const [first] = linesOf(json).map((line) => JSON.parse(line));
    expect(first).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      app: 'api',
      trackingId: 'abc',
      count: 2,
      ids: [1, 2],
      ok: true,
      msg: 'parcels changed',
    });
    // Node warns there of many listeners.
    expect(json.stderr).toBe('');
  });

  test('keeps an error, including its stack, on one line', () => {
    const last = JSON.parse(linesOf(json)[2] ?? '');
    expect(last).toMatchObject({ level: 'error', msg: 'failed', err: { type: 'Error', message: 'boom' } });
    expect(last.err.stack).toContain('Error: boom\n');
    expect(last.err.cause).toMatchObject({ message: 'away', code: '57P01' });
  });

  test('omits what libraries attach to their errors', () => {
    expect(json.stdout).not.toContain('hunter2');
  });
});

describe('the format pretty', () => {
  test('omits the configuration', () => {
    expect(pretty.stdout).not.toContain('8080');
    expect(json.stdout).toContain('"config":{"port":8080}');
  });

  test('is the time, the level, the message and the fields', () => {
    expect(linesOf(pretty)[0]).toMatch(
      /^\d\d:\d\d:\d\d INFO {2}parcels changed trackingId=abc count=2 ids=\[1,2\] ok=true$/,
    );
    expect(linesOf(pretty)[1]).toMatch(/^\d\d:\d\d:\d\d WARN {2}without fields$/);
  });

  test('shows an error of which only the message is logged', () => {
    expect(linesOf(pretty).at(-1)).toMatch(/WARN {2}queue outage: no answer within 500 ms$/);
  });

  test('shows the stack of an error below its line', () => {
    const [line, first, second] = linesOf(pretty).slice(2);
    expect(line).toMatch(/^\d\d:\d\d:\d\d ERROR failed$/);
    expect(first).toBe('Error: boom');
    expect(second).toMatch(/^ +at /);
  });
});

test.each(['json', 'pretty'])('entries below the level are not logged (%s)', async (format) => {
  expect((format === 'json' ? json : pretty).stdout).not.toContain('not said at info');
  expect((await run({ level: 'debug', format })).stdout).toContain('not said at info');
  expect((await run({ level: 'silent', format })).stdout).toBe('');
});

test('what is logged faster than it is read is dropped beyond some megabytes, and what follows is logged', async () => {
  const { stdout } = await run({ burst: true, level: 'info', format: 'json' });
  expect(stdout.length).toBeLessThan(8_000_000);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(100);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'all that was kept is read' });
});

test('what a process logs just before it exits is written', async () => {
  const { stdout } = await run({ exits: true, level: 'info', format: 'json' });
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ msg: 'queue outage' });
});
