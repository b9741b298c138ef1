import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, type Programs, prepareProgram } from './testing/program.ts';

const SOURCE = `
  import { createLogger } from './logger.ts';
  import { keepInspectorClosed, onDiagnosis } from './diagnosis.ts';

  keepInspectorClosed();
  const { LEVEL: level = '', DIRECTORY: directory = '' } = process.env;
  const write = (line: string) => void process.stdout.write(line);
  const logger = createLogger({ app: 'api', level, format: 'json', write });
  process.on('message', (word) => {
    if (word === 'diagnose') onDiagnosis(logger, { app: 'api', directory });
    logger.debug('a detail after ' + word);
    logger.info('heard ' + word);
  });
  setInterval(() => {}, 1_000_000);
  write('listening');
`;

let programs: Programs;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pts-profile-'));
  programs = await prepareProgram(SOURCE);
});
afterAll(async () => {
  await programs.remove();
  await rm(directory, { recursive: true });
});

async function start(env: Record<string, string> = {}): Promise<Program> {
  const program = programs.start({ LEVEL: 'info', DIRECTORY: directory, ...env });
  await program.says('listening');
  await tell(program, 'diagnose');
  return program;
}

async function tell({ child, says }: Program, word: string): Promise<void> {
  child.send(word);
  await says(`heard ${word}`);
}

async function outputOf({ child, ended }: Program) {
  child.kill('SIGKILL');
  return ended;
}

test('SIGUSR2 sets the log level to debug, and back', async () => {
  const program = await start();
  program.child.kill('SIGUSR2');
  await program.says('"level":"debug","msg":"log level changed"');
  await tell(program, 'once');
  program.child.kill('SIGUSR2');
  // Its line is written at the level that was set.
  await program.says('"level":"info","msg":"log level changed"');
  await tell(program, 'twice');
  const { stdout } = await outputOf(program);
  expect(['diagnose', 'once', 'twice'].map((word) => stdout.includes(`a detail after ${word}`))).toEqual([
    false,
    true,
    false,
  ]);
});

test('SIGUSR1 begins a profile and ends it, and the next one takes its place: files for developer tools', async () => {
  const program = await start();
  for (let round = 0; round < 2; round++) {
    program.child.kill('SIGUSR1');
    await program.says('profile started');
    program.child.kill('SIGUSR1');
    await program.says('profile written');
  }
  const { stderr } = await outputOf(program);
  const cpu = JSON.parse(await readFile(join(directory, 'api.cpuprofile'), 'utf8'));
  const heap = JSON.parse(await readFile(join(directory, 'api.heapprofile'), 'utf8'));
  expect([cpu.nodes.length > 0, cpu.endTime > cpu.startTime, heap.head.callFrame.functionName]).toEqual([
    true,
    true,
    '(root)',
  ]);
  expect(stderr).not.toContain('Debugger listening');
});

test('a directory that cannot be written to is reported, and the process goes on', async () => {
  const program = await start({ DIRECTORY: join(directory, 'none') });
  program.child.kill('SIGUSR1');
  await program.says('profile started');
  program.child.kill('SIGUSR1');
  await program.says('profile failed');
  await tell(program, 'again');
  await outputOf(program);
});

test('the inspector stays closed before the process is ready for signals, too', async () => {
  const program = programs.start({ LEVEL: 'info' });
  await program.says('listening');
  program.child.kill('SIGUSR1');
  await tell(program, 'anything');
  expect((await outputOf(program)).stderr).toBe('');
});
