import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf } from '@pts/testing/app-process';
import { eventually } from '@pts/testing/eventually';
import { build } from 'esbuild';
import { lacking, testWith } from '../support/languages/languages.ts';
import { findZsh } from '../support/languages/zsh.ts';

/** A shell with the start-up file of its user, and what that begins with. */
type Shell = { name: string; lacks?: string; command: string; env: Record<string, string>; rc: string; setUp: string };

const zsh = await findZsh();
const SHELLS: Shell[] = [
  { name: 'bash', command: 'bash --rcfile .bashrc -i', env: {}, rc: '.bashrc', setUp: '' },
  {
    ...zsh,
    name: 'zsh',
    command: `${zsh.command} -d -i`,
    rc: '.zshrc',
    setUp: `${zsh.setUp}\nautoload -Uz compinit && compinit -u`,
  },
];
const noTerminal = lacking('script', '--version');

let home: string;
beforeAll(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pts-completion-')));
  await build({
    entryPoints: [join(import.meta.dirname, '../../packages/client/src/cli/main.ts')],
    outfile: join(home, 'pts.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  // It answers the shell's questions, and notes the other command lines in place of running them.
  const program = `#!/bin/sh
case "$1" in completion|__complete) exec "${process.execPath}" "${home}/pts.mjs" "$@";; esac
echo "$*" >> "${home}/run"\n`;
  writeFileSync(join(home, 'pts'), program, { mode: 0o755 });
  writeFileSync(join(home, 'orders.csv'), '');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A shell at a terminal, with the line of the help in its start-up file. */
async function open({ name, command, env, rc, setUp }: Shell) {
  writeFileSync(join(home, rc), `${setUp}\n${documented(name)}\nPS1='ready> '\n`);
  writeFileSync(join(home, 'run'), '');
  const { PATH } = process.env;
  const shell = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: home,
    env: { ...env, PATH: `${home}:${PATH}`, HOME: home, ZDOTDIR: home, TERM: 'dumb' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = outputOf(shell);
  const ended = new Promise((done) => shell.once('close', done));
  await eventually(() => expect(output()).toContain('ready> '));
  return {
    /** Types a line that ends with a tab, waits for what it becomes, and runs that. */
    async complete(typed: string, completed: string): Promise<void> {
      const from = output().length;
      shell.stdin.write(`${typed}\t`);
      await eventually(() => expect(output().slice(from)).toContain(completed.split(' ').at(-1)));
      shell.stdin.write('\r');
      await eventually(() => expect(readFileSync(join(home, 'run'), 'utf8').split('\n')).toContain(completed));
    },
    async close(): Promise<void> {
      shell.stdin.write('exit\r');
      await ended;
    },
  };
}

/** The line that the help tells users to add. */
function documented(shell: string): string {
  const help = spawnSync(process.execPath, [join(home, 'pts.mjs'), 'completion', '--help'], {
    encoding: 'utf8',
  }).stdout;
  return new RegExp(`^${shell}: add \`(.+)\` to`, 'm').exec(help)?.[1] ?? '';
}

for (const shell of SHELLS) {
  const { name } = shell;
  const promise = `in ${name}, a tab completes commands, the values of options, and files`;
  testWith(name, shell.lacks ?? noTerminal, promise, async () => {
    const { complete, close } = await open(shell);
    await complete('pts webhooks deliveri', 'webhooks deliveries');
    await complete('pts trigger undel', 'trigger undeliverable');
    await complete('pts shipments --sort -cr', 'shipments --sort -created_at');
    await complete('pts import ord', 'import orders.csv');
    await close();
  });
}
