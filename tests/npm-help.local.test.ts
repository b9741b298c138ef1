import { execFileSync } from 'node:child_process';
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
