import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import manifest from '../../package.json';
import { createClient } from '../client.ts';
import { COMPLETE, type Command, type Context, candidates, helpFor, parse } from './command.ts';
import { importFile } from './commands/import.ts';
import { listen } from './commands/listen.ts';
import { completion, login, logout, whoami } from './commands/login.ts';
import { track, trigger } from './commands/parcels.ts';
import { bulk, shipments } from './commands/shipments.ts';
import {
  addWebhook,
  checkWebhook,
  deliveries,
  delivery,
  listWebhooks,
  redeliver,
  removeWebhook,
  replay,
  rotateSecret,
  setEnabled,
  testWebhook,
} from './commands/webhooks.ts';
import { CliError, EXIT, explain, valid } from './errors.ts';
import { readSettings, type Settings, type SettingsSource } from './settings.ts';

type Output = NodeJS.WritableStream & { isTTY?: boolean };

/** The environment in which the program runs. */
type Surroundings = Omit<SettingsSource, 'home'> & {
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
    throw new CliError(
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

/** Control and direction characters, which would change the terminal: text of carriers and receivers is untrusted. */
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

/** Every command of `pts`, in the order of its help. */
export const commands: readonly Command[] = [
  login,
  logout,
  whoami,
  track,
  shipments,
  bulk,
  importFile,
  listWebhooks,
  addWebhook,
  testWebhook,
  checkWebhook,
  deliveries,
  delivery,
  redeliver,
  replay,
  setEnabled('enable', true),
  setEnabled('disable', false),
  rotateSecret,
  removeWebhook,
  listen,
  trigger,
  completion,
];

type Input = Readable & { isTTY?: boolean };

/** Discards what it is given: a terminal's echo of a secret. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * The first line of the input: of a pipe, or the answer to a question at a terminal, without echo if it is a secret.
 * @throws the reason of the signal
 */
async function askLine(
  input: Input,
  terminal: NodeJS.WritableStream,
  question: string,
  { isSecret = false, signal }: { isSecret?: boolean | undefined; signal: AbortSignal },
): Promise<string> {
  const isTerminal = input.isTTY === true;
  const lines = createInterface({
    input,
    output: isTerminal && !isSecret ? terminal : nowhere(),
    terminal: isTerminal,
  });
  const ended = new Promise<string>((done) => lines.once('close', () => done('')));
  if (!isTerminal) {
    // Not `question`: it misses a last line that no line break ends.
    const first = new Promise<string>((done) => lines.once('line', done));
    signal.addEventListener('abort', () => lines.close(), { once: true });
    const line = await Promise.race([first, ended]);
    lines.close();
    return line.trim();
  }
  const leaving = new AbortController();
  // At a terminal, readline takes Ctrl-C for itself.
  lines.once('SIGINT', () => leaving.abort(new DOMException('Ctrl-C', 'AbortError')));
  if (isSecret) terminal.write(`${question}: `);
  try {
    const left = AbortSignal.any([signal, leaving.signal]);
    return (await Promise.race([lines.question(`${question}: `, { signal: left }), ended])).trim();
  } finally {
    lines.close();
    if (isSecret) terminal.write('\n');
  }
}
