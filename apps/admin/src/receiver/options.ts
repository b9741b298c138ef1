import type { Context, Input } from '../command-line/command.ts';
import { UsageError } from '../command-line/problem.ts';
import { readNumber, readTarget, readUrl } from '../smoke/options.ts';
import { findStandalone } from '../standalone.ts';
import type { Faults } from './faults.ts';

export const RECEIVER_OPTIONS = {
  port: { value: 'PORT', about: 'port to listen on (default: PORT, or 9000); 0 for a free one' },
  host: { value: 'HOST', about: 'address to listen on (default: 127.0.0.1); 0.0.0.0 for all' },
  register: { about: 'register this receiver as a webhook, and remove it at the end; needs API_KEY' },
  'no-register': { about: 'do not register it with the service of npm start' },
  'base-url': {
    value: 'URL',
    about: 'with --register: URL of the deployment (default: BASE_URL, or the service of npm start)',
  },
  url: {
    value: 'URL',
    about: 'with --register: URL under which the deployment reaches this receiver, if not host and port',
  },
  status: { value: 'STATUS', about: 'simulate a fault: answer every push with this status' },
  delay: { value: 'SECONDS', about: 'simulate a fault: wait this long before each answer' },
  hang: { about: 'simulate a fault: never answer' },
  reset: { about: 'simulate a fault: reset the connection' },
  fail: {
    value: 'N',
    about: 'simulate the fault only for the first N attempts of each message (default fault: status 500)',
  },
  json: { about: 'print one JSON object per line for each push' },
} as const;

export type ReceiverGiven = Input<[], typeof RECEIVER_OPTIONS>;

export type ReceiverSettings = {
  host: string;
  port: number;
  /** Whether another port is fine if this one is in use. */
  anyPort: boolean;
  secrets: readonly string[];
  faults: Faults;
  /** `isAsked`: the user requested the registration, so a failure ends the command. */
  register: { baseUrl: string; apiKey: string; url: string | null; isRequested: boolean } | null;
};

/** @throws UsageError */
export function readReceiverOptions(context: Pick<Context, 'env' | 'root'>, given: ReceiverGiven): ReceiverSettings {
  const port = given.port ?? (context.env.PORT?.trim() || undefined);
  const secrets = readSecrets(context.env.WEBHOOK_SECRET ?? '');
  const register = readRegister(context, given, secrets.length === 0);
  return {
    host: given.host ?? '127.0.0.1',
    port: readNumber('port', port, 9000, { min: 0, max: 65_535 }),
    anyPort: port === undefined && register !== null,
    secrets,
    faults: readFaults(given),
    register,
  };
}

/** Secrets separated by commas. The key is the whole text, so a secret without its prefix would verify nothing. */
export function readSecrets(text: string): string[] {
  const secrets = text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  const odd = secrets.find((secret) => !/^whsec_\S+$/.test(secret));
  if (odd !== undefined) throw new UsageError('Give the whole secret, including whsec_.');
  return secrets;
}

function readFaults(given: ReceiverGiven): Faults {
  const { status, hang, reset, fail, delay } = given;
  if ([status !== undefined, hang, reset].filter(Boolean).length > 1)
    throw new UsageError('Give only one of --status, --hang and --reset.');
  const code = status === undefined ? null : readNumber('status', status, 500, { min: 200, max: 599 });
  const delaySeconds = readNumber('delay', delay, 0, { min: 0, max: 3600 });
  const first = fail === undefined ? null : readNumber('fail', fail, 1, { min: 1, max: 1000 });
  const answer = hang ? 'hang' : reset ? 'reset' : code;
  return { answer: answer ?? (first !== null && delaySeconds === 0 ? 500 : null), delaySeconds, first };
}

/** By default, a receiver without secrets registers with the local service. */
function readRegister(
  context: Pick<Context, 'env' | 'root'>,
  given: ReceiverGiven,
  isFree: boolean,
): ReceiverSettings['register'] {
  if (given.register && given['no-register']) throw new UsageError('Give only one of --register and --no-register.');
  if (given.register) {
    if (given.url !== undefined) readUrl('--url', given.url);
    // Unchanged: a trailing slash is part of it.
    return { ...readTarget(context, given), url: given.url ?? null, isRequested: true };
  }
  const lost = (['base-url', 'url'] as const).find((name) => given[name] !== undefined);
  if (lost) throw new UsageError(`--${lost} requires --register.`);
  const standalone = isFree && !given['no-register'] ? findStandalone(context) : null;
  return standalone && { baseUrl: standalone.baseUrl, apiKey: standalone.apiKey, url: null, isRequested: false };
}
