import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** A chain of programs, of which the last one would get the arguments. */
const WITHOUT_OPTIONS = ['typecheck'];

const programOf = (name: string) =>
  name === 'node' ? [process.execPath] : [process.execPath, join(ROOT, 'node_modules/.bin', name)];

test.each(Object.entries(scripts).filter(([name]) => !WITHOUT_OPTIONS.includes(name)))(
  'npm run %s -- --help says what it does, and does nothing',
  (_name, script) => {
    const before = readdirSync(ROOT);
    const [program = '', ...args] = script.split(' ');
    const [command = '', ...first] = programOf(program);
    const { PATH, HOME } = process.env;
    const said = execFileSync(command, [...first, ...args, '--help'], {
      cwd: ROOT,
      env: { PATH, HOME },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(said).toMatch(/^(npm |Usage: )/m);
    expect(said).not.toMatch(/\d passed|^(Written|Bundles)/m);
    expect(readdirSync(ROOT)).toEqual(before);
  },
);

/** Their options go to jest, turbo or biome. */
const PASSED_ON = ['build', 'format', 'fuzz', 'lint', 'test', 'verify'];
/** What is started reads them, and has its own tests. */
const READ_LATER = ['start', 'bench', 'chaos', 'seed', 'admin', 'migrate', 'receiver', 'receiver-check', 'smoke'];

test.each(
  Object.entries(scripts).filter(([name]) => ![...WITHOUT_OPTIONS, ...PASSED_ON, ...READ_LATER].includes(name)),
)('npm run %s refuses an option that it does not know, and does nothing', (_name, script) => {
  const before = readdirSync(ROOT);
  const [program = '', ...args] = script.split(' ');
  const [command = '', ...first] = programOf(program);
  const { PATH, HOME } = process.env;
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args, '--nonsense'], {
    cwd: ROOT,
    env: { PATH, HOME },
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^No such option: --nonsense\.\n\nnpm run /)]);
  expect(readdirSync(ROOT)).toEqual(before);
});
