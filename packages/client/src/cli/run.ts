import { homedir } from 'node:os';
import manifest from '../../package.json' with { type: 'json' };
import { createClient } from '../client.ts';
import { askLine, type Input } from './ask.ts';
import type { Context } from './command.ts';
import { commands } from './commands.ts';
import { COMPLETE, candidates } from './complete.ts';
import { helpFor } from './help.ts';
import { parse } from './parse.ts';
import { EXIT, explain, Problem, valid } from './problem.ts';
import { type Place, readSettings, type Settings } from './settings.ts';

type Output = NodeJS.WritableStream & { isTTY?: boolean };

/** What the program finds around it. */
export type Surroundings = Omit<Place, 'home'> & {
  home?: string;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  now?(): Date;
};

/** A command that people wait for does not wait for two minutes after a 429. */
const MAX_WAIT_MS = 10_000;

/** Runs one command line. @returns the exit code */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr, signal } = surroundings;
  if (argv[0] === COMPLETE) {
    stdout.write(
      candidates(argv.slice(1), commands)
        .map((one) => `${one}\n`)
        .join(''),
    );
    return EXIT.ok;
  }
  const isJson = argv.includes('--json');
  try {
    const requested = parse(argv, commands);
    if (requested.kind === 'version') stdout.write(`${manifest.version}\n`);
    if (requested.kind === 'help') stdout.write(helpFor(requested.commands, commands));
    if (requested.kind !== 'run') return EXIT.ok;
    const context = contextOf(surroundings, isJson);
    return (await requested.command.run(context, requested.input as never)) ?? EXIT.ok;
  } catch (error) {
    if (signal.aborted || (error instanceof Error && error.name === 'AbortError')) return EXIT.interrupted;
    const { exit, lines, json } = explain(error);
    stderr.write(isJson ? `${jsonOf({ error: json })}\n` : `${lines.map(tame).join('\n')}\n`);
    return exit;
  }
}

function contextOf(surroundings: Surroundings, isJson: boolean): Context {
  const { stdin, stdout, stderr, signal, home = homedir(), now = () => new Date() } = surroundings;
  const settings = readSettings({ ...surroundings, home });
  const note = (line: string) => void (isJson || stderr.write(`${tame(line)}\n`));
  return {
    client: ({ isPatient = false } = {}) => clientOf(settings, isPatient, note),
    settings,
    signal,
    now,
    isJson,
    print: (value, lines) => void stdout.write(isJson ? `${jsonOf(value)}\n` : textOf(lines())),
    raw: (text) => void stdout.write(text),
    note,
    progress: (text) => void (!isJson && stderr.isTTY && stderr.write(`\r\u001b[K${tame(text)}`)),
    ask: (question, options) => askLine(stdin, stderr, question, { ...options, signal }),
    isInteractive: stdin.isTTY === true,
  };
}

function clientOf({ url, apiKey }: Settings, isPatient: boolean, note: (line: string) => void) {
  if (!url || !apiKey)
    throw new Problem(
      `There is no ${url ? `API key for ${url}` : 'address'}. Run \`pts login\`, or set PTS_URL and PTS_API_KEY.`,
      EXIT.key,
    );
  return valid(() =>
    createClient({
      baseUrl: url,
      apiKey,
      userAgent: `pts/${manifest.version}`,
      ...(isPatient ? {} : { maxRetryDelayMs: MAX_WAIT_MS }),
      onRetry: ({ error, delayMs }) =>
        note(`${error.message.replace(/\.$/, '')}. Trying again in ${Math.ceil(delayMs / 1000)} s.`),
    }),
  );
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${tame(line)}\n`).join('');
}

/** What carriers and receivers say is untrusted: control and direction characters would change the terminal. */
const UNSAFE = /[\p{Bidi_Control}\u2028\u2029]|[^\P{Cc}\n\t]/gu;

function tame(line: string): string {
  return line.replace(UNSAFE, '�');
}

/** JSON with such characters as escapes: programs read the same value. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
