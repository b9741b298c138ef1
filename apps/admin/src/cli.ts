import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { forTerminal, jsonForTerminal } from '@pts/core/terminal';
import { messageOf } from '@pts/db/errors';
import { ConfigError } from '@pts/runtime/settings/config';
import {
  type Command,
  CommandError,
  type Context,
  type Parsed,
  parse,
  type Report,
  UsageError,
  usage,
} from './command.ts';
import { commands } from './commands/index.ts';

type Stream = { write(text: string): unknown; isTTY?: boolean };
type Surroundings = Pick<Context, 'env' | 'root' | 'now' | 'interrupted' | 'askSecret' | 'input'> & {
  stdout: Stream;
  stderr: Stream;
};

/** Runs one command line. @returns the exit code: 0 success, 1 failure, 2 invalid command line. */
export async function runCli(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  const json = argv.includes('--json');
  try {
    const requested = parse(argv, commands);
    if (requested.kind === 'help') {
      stdout.write(usage(requested.commands));
      return 0;
    }
    const report = await run(requested, surroundings, json);
    const text = json
      ? jsonForTerminal(JSON.stringify(report.json, null, 2) ?? '')
      : forTerminal(report.lines.join('\n'));
    if (text) stdout.write(`${text}\n`);
    if (report.fault !== undefined) throw new CommandError(report.fault);
    return report.failed ? 1 : 0;
  } catch (error) {
    stderr.write(
      json
        ? jsonForTerminal(`${JSON.stringify({ error: { message: messageOf(error) } })}\n`)
        : forTerminal(explain(error)),
    );
    return error instanceof UsageError ? 2 : 1;
  }
}

function run({ command, input }: Extract<Parsed, { kind: 'run' }>, surroundings: Surroundings, json: boolean) {
  const { env, root, now, interrupted, askSecret, input: readInput, stdout, stderr } = surroundings;
  const silent = () => {};
  const context: Context = {
    env,
    root,
    now,
    // The receiver colours its lines, after cleaning what it shows.
    out: json ? silent : (line) => void stdout.write(`${line}\n`),
    note: json ? silent : (line) => void stderr.write(`${forTerminal(line)}\n`),
    line: (text) => void stdout.write(`${jsonForTerminal(text)}\n`),
    isTerminal: stdout.isTTY === true,
    input: readInput,
    interrupted,
    askSecret,
  };
  return (command as Command & { run(context: Context, given: typeof input): Promise<Report> }).run(context, input);
}

/** Internal errors with their stack; problems that the operator can fix without. */
function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\`npm run admin -- help\` lists the commands.\n`;
  const known = error instanceof CommandError || error instanceof ConfigError;
  if (known || !(error instanceof Error)) return `${messageOf(error)}\n`;
  return `${error.stack ?? error.message}\n`;
}

/**
 * Reads one line of `input`: the first line of a pipe, or hidden input after a prompt at a terminal.
 * @returns '' if there is none
 */
export function askSecret(
  input: Readable & { isTTY?: boolean },
  notes: { write(text: string): unknown },
  question: string,
): Promise<string> {
  const isTerminal = input.isTTY === true;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, ...(isTerminal ? { output: nowhere, terminal: true } : {}) });
  if (isTerminal) notes.write(`${question}: `);
  return new Promise((resolve) => {
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    lines.once('line', (line) => {
      resolve(line.trim());
      lines.close();
    });
    lines.once('close', () => {
      if (isTerminal) notes.write('\n');
      resolve('');
    });
  });
}
