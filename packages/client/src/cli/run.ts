import { homedir } from 'node:os';
import type { Readable } from 'node:stream';
import { forTerminal, jsonForTerminal } from '@pts/core/terminal';
import manifest from '../../package.json';
import { createClient } from '../client.ts';
import type { Context, command } from './command.ts';
import { importFile } from './commands/import.ts';
import { listen } from './commands/listen.ts';
import { completion, login, logout, notices, whoami } from './commands/login.ts';
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
import { EXIT, explain, valid } from './errors.ts';
import { adviceOnUsage, askLine, CommandError, isAbort, type Program, parse, UsageError } from './kit.ts';
import { readSettings, type Settings, type SettingsSource } from './settings.ts';

type Output = NodeJS.WritableStream & { isTTY?: boolean };

/** The environment in which the program runs. */
type Surroundings = Omit<SettingsSource, 'home'> & {
  home?: string;
  stdin: Readable & { isTTY?: boolean };
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
  const isJson = argv.includes('--json');
  try {
    const requested = parse(argv, pts);
    if (requested.kind === 'run') {
      const context = contextOf(surroundings, isJson);
      return (await requested.command.run(context, requested.input as never)) ?? EXIT.ok;
    }
    stdout.write(requested.text);
    return EXIT.ok;
  } catch (error) {
    if (signal.aborted || isAbort(error)) return EXIT.interrupted;
    const { exit, lines, json } = explain(error);
    const shown = error instanceof UsageError ? [...lines, adviceOnUsage(pts)] : lines;
    stderr.write(isJson ? jsonOf({ error: json }) : textOf(shown));
    return exit;
  }
}

function contextOf(surroundings: Surroundings, isJson: boolean): Context {
  const { stdin, stdout, stderr, signal, home = homedir(), now = () => new Date() } = surroundings;
  const settings = readSettings({ ...surroundings, home });
  const note = (line: string) => void (isJson || stderr.write(`${forTerminal(line)}\n`));
  return {
    client: ({ isPatient = false } = {}) => clientOf(settings, isPatient, note),
    settings,
    signal,
    now,
    isJson,
    print: (value, lines) => void stdout.write(isJson ? jsonOf(value) : textOf(lines())),
    raw: (text) => void stdout.write(text),
    note,
    progress: (text) => void (!isJson && stderr.isTTY && stderr.write(`\r\u001b[K${forTerminal(text)}`)),
    ask: (question, options) => askLine(stdin, stderr, question, { ...options, signal }),
    isInteractive: stdin.isTTY === true,
  };
}

function clientOf({ url, apiKey }: Settings, isPatient: boolean, note: (line: string) => void) {
  if (!url || !apiKey)
    throw new CommandError(
      `No ${url ? `API key for ${url}` : 'address'} is set. Run \`pts login\`, or set PTS_URL and PTS_API_KEY.`,
      EXIT.key,
    );
  return valid(() =>
    createClient({
      baseUrl: url,
      apiKey,
      userAgent: `pts/${manifest.version}`,
      ...(isPatient ? {} : { maxRetryDelayMs: MAX_WAIT_MS }),
      onRetry: ({ error, delayMs }) =>
        note(`${error.message.replace(/\.$/, '')}. Retrying in ${Math.ceil(delayMs / 1000)} s.`),
    }),
  );
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${forTerminal(line)}\n`).join('');
}

function jsonOf(value: unknown): string {
  return `${jsonForTerminal(JSON.stringify(value))}\n`;
}

const commands = [
  login,
  logout,
  whoami,
  notices,
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

/** The command line of merchants. */
export const pts: Program<ReturnType<typeof command>> = {
  name: 'pts',
  version: manifest.version,
  commands,
  secretsBelong: 'Use `pts login`, PTS_API_KEY or PTS_LISTEN_SECRET.',
  notes: `Environment: PTS_URL and PTS_API_KEY (instead of \`pts login\`), PTS_LISTEN_SECRET (for \`pts listen\`)
Exit codes: ${EXIT.ok} success, ${EXIT.failed} rejected or failed, ${EXIT.usage} invalid command line, ${EXIT.key} key missing or rejected, ${EXIT.noAnswer} no response,
  ${EXIT.notFound} not found, ${EXIT.limit} rate limit or quota, ${EXIT.interrupted} ended with Ctrl-C`,
};
