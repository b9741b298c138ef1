import { type Programs, prepareProgram } from '../testing/program.ts';

// One program plays all the parts; its parent sends it the part over IPC.
const SOURCE = `
  import { createLogger } from './logger.ts';
  import { ConfigError } from './settings/config.ts';
  import { boot, onShutdown } from './process/boot.ts';

  const say = (text: string) => process.stdout.write(text + '\\n');
  const parts: Record<string, () => Promise<void>> = {
    closes: async () => { say('closing'); await new Promise((resolve) => setImmediate(resolve)); say('closed'); },
    fails: async () => { throw new Error('the pool is gone'); },
    waits: () => { say('closing'); return new Promise((resolve) => { finish = resolve; }); },
    hangs: () => { say('closing'); return new Promise(() => {}); },
  };
  let finish = () => {};
  let heard = 0;
  process.on('message', ({ part, timeoutSeconds }: { part: string; timeoutSeconds: number }) => void boot('test', process.env, async () => {
    if (part === 'finish') return finish();
    if (part === 'misconfigured') throw new ConfigError('Not valid:', ['PORT is missing', 'HOST is missing']);
    if (part === 'port taken') throw Object.assign(new Error('Port 80 is in use.'), { code: 'EADDRINUSE' });
    if (part === 'broken') throw new TypeError('a bug');
    const logger = createLogger({ app: 'test', level: 'info', format: part === 'pretty' ? part : 'json' });
    onShutdown(logger, timeoutSeconds, parts[part] ?? parts.closes);
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => say('heard ' + ++heard));
    setInterval(() => {}, 1_000_000);
    say('started');
  }));
  say('listening');
`;

let programs: Programs;
beforeAll(async () => {
  programs = await prepareProgram(SOURCE);
});
afterAll(() => programs.remove());

async function play(part: string, timeoutSeconds = 60) {
  const program = programs.start();
  await program.says('listening');
  program.child.send({ part, timeoutSeconds });
  return program;
}

async function started(part: string, timeoutSeconds = 60) {
  const program = await play(part, timeoutSeconds);
  await program.says('started');
  return program;
}

describe('a process that is stopped', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('by %s ends its work, then ends with code 0', async (signal) => {
    const { child, ended } = await started('closes');
    child.kill(signal);
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain(`"reason":"${signal}"`);
    expect(stdout).toMatch(/\nclosed\n.*"msg":"stopped"/);
  });

  test('by the end of its parent ends in the same way', async () => {
    const { child, ended } = await started('closes');
    child.disconnect();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain('"reason":"parent ended"');
    expect(stdout).toContain('closed\n');
  });

  test.each(['json', 'pretty'])(
    'by the end of the parent that reads its log (%s) ends in the same way',
    async (part) => {
      const { child, ended } = await started(part);
      child.stdout?.destroy();
      child.disconnect();
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test('twice closes once', async () => {
    const { child, ended, says } = await started('waits');
    child.kill('SIGTERM');
    await says('heard 1');
    child.kill('SIGTERM');
    await says('heard 2');
    child.kill('SIGINT');
    await says('heard 3');
    child.send({ part: 'finish' });
    const { code, stdout } = await ended;
    expect([code, stdout.match(/closing/g)]).toEqual([0, ['closing']]);
  });

  test('whose work does not end in time still ends, with code 1', async () => {
    const { child, ended } = await started('hangs', 0.05);
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    expect(code).toBe(1);
    expect(stdout).toContain('work in progress did not end in time');
  });

  test('ends also when stopping fails, and says why', async () => {
    const { child, ended } = await started('fails');
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain('the pool is gone');
  });
});

describe('a process that cannot start ends with code 1', () => {
  test.each([
    ['misconfigured', ['PORT is missing', 'HOST is missing']],
    ['port taken', ['Port 80 is in use.']],
  ])('and when it is %s says so in JSON lines', async (part, texts) => {
    const { ended } = await play(part);
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; msg: string });
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual(texts.map((text) => ['fatal', text]));
  });

  test('and when it is broken shows where', async () => {
    const { ended } = await play('broken');
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      level: 'fatal',
      err: { stack: expect.stringMatching(/^TypeError: a bug\n\s+at /) },
    });
  });
});
