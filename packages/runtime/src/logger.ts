import { type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

/**
 * The logger of a process: one JSON line per entry, or a readable line. Call it with the fields first:
 * `logger.info({ trackingId }, 'message')`. Never give it a key, a secret or a body.
 */
export function createLogger(options: {
  app: string;
  level: string;
  format: string;
  /** Receives the JSON lines instead of standard output. */
  write?: (line: string) => void;
}): Logger {
  const settings = {
    level: options.level,
    base: { app: options.app },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: toLoggedError },
  };
  const { write = toOutput() } = options;
  const isPretty = options.format === 'pretty';
  return pino(settings, { write: (line) => write(isPretty ? pretty(masked(line)) : masked(line)) });
}

/** API keys and operators' keys, complete or not. Slashes and underscores may be encoded, also more than once. */
const KEYS = /(tk(?:_|%(?:25){0,3}5f)(?:test(?:_|%(?:25){0,3}5f))?)[0-9a-z]{6,}/gi;
const WEBHOOK_SECRETS = /(whsec(?:_|%(?:25){0,3}5f))[0-9a-z+/=_%-]{6,}/gi;
/** The part to hide of a buyer's link, or of the address of a callback. */
const LINKS = /((?:\/|%(?:25){0,3}2f)t(?:\/|%(?:25){0,3}2f))[^"\s?]+/gi;
const CALLBACKS = /(callbacks(?:\/|%(?:25)*2f)+[^/%"\s]*(?:\/|%(?:25)*2f))[^"\s?]+/gi;

/** A line without the secrets that clients put into addresses, wherever they stand, by their form. */
function masked(line: string): string {
  return [KEYS, WEBHOOK_SECRETS, LINKS, CALLBACKS].reduce((text, secret) => text.replace(secret, '$1…'), line);
}

/** Lines that their reader has not taken, in characters: further ones are dropped. */
const MAX_UNREAD = 4 * 1024 * 1024;

/** The lines of this turn of the event loop are written together, because each write is a system call. */
let unwritten = '';

/**
 * A writer to standard output. Neither a reader that has gone nor one that has stopped keeps the process from working,
 * or from ending.
 */
function toOutput(): (line: string) => void {
  const { stdout } = process;
  // Once, however many loggers write there.
  stdout.off('error', ignore).on('error', ignore);
  process.off('exit', flush).on('exit', flush);
  return (line) => {
    if (stdout.writableLength + unwritten.length >= MAX_UNREAD) return;
    if (unwritten === '') setImmediate(flush);
    unwritten += line;
  };
}

function flush(): void {
  if (unwritten !== '') process.stdout.write(unwritten);
  unwritten = '';
}

const ignore = () => {};

/** The useful parts of an error: libraries attach whole connections, queries and parameters. */
function toLoggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    message,
    stack,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(cause instanceof Error ? { cause: toLoggedError(cause) } : {}),
  };
}

/** `12:30:01 INFO  message key=value`, with an error's stack on the lines below. Omits the configuration. */
function pretty(line: string): string {
  const { level, time, msg, app: _app, config: _config, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 19);
  const pairs = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const text = [clock, String(level).toUpperCase().padEnd(5), msg, ...pairs].join(' ');
  return `${text}${describeError(err)}\n`;
}

function describeError(err: unknown): string {
  // Where only its message is logged.
  if (typeof err === 'string') return `: ${err}`;
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: string; message?: string };
  return `\n${stack ?? message ?? ''}`;
}
