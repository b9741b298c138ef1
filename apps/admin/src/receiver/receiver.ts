import { CommandError, type Input, UsageError } from '@pts/client/cli/kit';
import { createClient } from '@pts/client/client';
import { isApiError, NoAnswerError, TrackingApiError } from '@pts/client/errors';
import { forTerminal } from '@pts/core/terminal';
import { CHANGE_KINDS } from '@pts/core/tracking/status';
import { messageOf } from '@pts/db/errors';
import { type Context, command } from '../command.ts';
import { findStandalone, readTarget } from '../installation.ts';
import { aMoment, MOMENTS, readNumber, readUrl } from '../values.ts';
import { type Arrival, type Faults, type Listener, type LocalReceiver, serve } from './serve.ts';

const RECEIVER_OPTIONS = {
  port: { value: 'PORT', about: 'port to listen on (default: PORT, or 9000); 0 for a free one' },
  host: { value: 'HOST', about: 'address to listen on (default: 127.0.0.1); 0.0.0.0 for all' },
  register: { about: 'register this receiver as a webhook, and delete the webhook at the end; needs API_KEY' },
  'no-register': { about: 'do not register it with the service of npm start' },
  'base-url': {
    value: 'URL',
    about: 'with --register: URL of the deployment (default: BASE_URL, or the service of npm start)',
  },
  url: {
    value: 'URL',
    about: 'with --register: URL at which the deployment reaches this receiver, if not host and port',
  },
  status: { value: 'STATUS', about: 'simulate a fault: respond to every push with this status' },
  delay: { value: 'SECONDS', about: 'simulate a fault: wait this long before each response' },
  hang: { about: 'simulate a fault: never respond' },
  reset: { about: 'simulate a fault: reset the connection' },
  fail: {
    value: 'N',
    about: 'simulate the fault only for the first N attempts of each message (default fault: status 500)',
  },
} as const;

export const receiver = command({
  name: 'receiver',
  takes: [],
  options: RECEIVER_OPTIONS,
  secrets: { secret: 'WEBHOOK_SECRET', 'api-key': 'API_KEY' },
  about:
    'Receive, verify and show pushes on this machine until Ctrl-C, or simulate a fault. If npm start is running, it' +
    ' registers itself there. Otherwise it verifies with WEBHOOK_SECRET (several secrets are separated by commas).',
  async run(context, input) {
    await runReceiver(context, readReceiverOptions(context, input));
    return { lines: [], json: undefined };
  },
});

type ReceiverGiven = Input<[], typeof RECEIVER_OPTIONS>;

type ReceiverSettings = {
  host: string;
  port: number;
  /** Whether another port is fine if this one is in use. */
  orAnyPort: boolean;
  secrets: readonly string[];
  faults: Faults;
  /** `isRequested`: the user asked for the registration, so a failure ends the command. */
  register: { baseUrl: string; apiKey: string; url: string | null; isRequested: boolean } | null;
};

/** @throws UsageError */
function readReceiverOptions(context: Pick<Context, 'env' | 'root'>, given: ReceiverGiven): ReceiverSettings {
  const port = given.port ?? (context.env.PORT?.trim() || undefined);
  const secrets = readSecrets(context.env.WEBHOOK_SECRET ?? '');
  const register = readRegister(context, given, secrets.length === 0);
  return {
    host: given.host ?? '127.0.0.1',
    port: readNumber('port', port, 9000, { min: 0, max: 65_535 }),
    orAnyPort: port === undefined && register !== null,
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
  if (odd !== undefined) throw new UsageError('WEBHOOK_SECRET must be the whole secret, including whsec_.');
  return secrets;
}

function readFaults(given: ReceiverGiven): Faults {
  const { status, hang, reset, fail, delay } = given;
  if ([status !== undefined, hang, reset].filter(Boolean).length > 1)
    throw new UsageError('Use only one of --status, --hang and --reset.');
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
  if (given.register && given['no-register']) throw new UsageError('Use only one of --register and --no-register.');
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

/** Receives until Ctrl-C, then cleans up. */
async function runReceiver(context: Context, run: ReceiverSettings): Promise<void> {
  const interrupted = context.interrupted();
  const listener = context.isJson ? tellPrograms(context) : tellPeople(context);
  const receiver = await serve({ ...run, flags: '--', now: context.now, listener });
  try {
    const url = localUrl(run.host, receiver.port);
    const registration = await registerAt(context, run.register, url);
    try {
      receiver.trust([...(registration ? [registration.secret] : []), ...run.secrets]);
      introduce(context, run, { url, registration });
      await aborted(interrupted);
      context.out(''); // the terminal shows ^C
    } finally {
      await leave(context, registration);
    }
  } finally {
    await close(context, receiver);
  }
}

async function registerAt(
  context: Context,
  requested: ReceiverSettings['register'],
  url: string,
): Promise<Registration | null> {
  if (requested === null) return null;
  try {
    return await register(requested, requested.url ?? url);
  } catch (error) {
    // The ready file of a killed service still exists.
    if (requested.isRequested || !(error instanceof CommandError)) throw error;
    context.note(`Not registered. ${error.message}`);
    return null;
  }
}

function introduce(
  { isJson, out, line }: Context,
  { secrets, faults }: ReceiverSettings,
  { url, registration }: { url: string; registration: Registration | null },
): void {
  if (isJson) {
    const webhook = registration && { id: registration.id, url: registration.url, secret: registration.secret };
    line(JSON.stringify({ type: 'listening', url, webhook }));
    return;
  }
  out(`Listening on ${url}`);
  if (registration) {
    out(`Registered as webhook ${registration.id} at ${registration.url} for all events`);
    if (registration.wasThere) out('It was already registered, now has a new secret, and stays registered.');
    out(`Secret: ${registration.secret}`);
  } else if (secrets.length === 0)
    out('Not registered with a service, and WEBHOOK_SECRET is not set. Pushes are shown but NOT verified.');
  const broken = describeFaults(faults);
  if (broken) out(`This receiver ${broken}.`);
  out('Press Ctrl-C to stop.\n');
}

async function leave({ out }: Context, registration: Registration | null): Promise<void> {
  if (!registration || registration.wasThere) return;
  await registration.remove();
  out(`Deleted the webhook ${registration.id}.`);
}

async function close({ out }: Context, receiver: LocalReceiver): Promise<void> {
  await receiver.close();
  out('Stopped.');
}

function tellPeople({ out, isTerminal, env }: Context): Listener {
  const paint = isTerminal && !env.NO_COLOR ? coloured : plain;
  return {
    arrived: (arrival) => {
      for (const line of linesOf(arrival, paint)) out(line);
    },
    gaveUp: ({ messageId }, afterMs) =>
      out(
        `          ${paint('yellow', `the sender gave up after ${(afterMs / 1000).toFixed(1)} s`)} · message ${messageId}`,
      ),
    stray: ({ method, path }) => out(paint('dim', `${method} ${path}: not a push, responded 405`)),
  };
}

function tellPrograms({ line }: Context): Listener {
  const print = (document: object) => line(JSON.stringify(document));
  return {
    arrived: (arrival) => print(documentOf(arrival)),
    gaveUp: ({ messageId }, afterMs) => print({ type: 'gave_up', message_id: messageId, after_ms: afterMs }),
    stray: (request) => print({ type: 'stray', ...request }),
  };
}

type Paint = (colour: 'green' | 'red' | 'yellow' | 'bold' | 'dim', text: string) => string;

const CODES = { green: 32, red: 31, yellow: 33, bold: 1, dim: 2 } as const;
const INDENT = ' '.repeat(10);

const plain: Paint = (_colour, text) => text;
const coloured: Paint = (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m`;

/** A push as text: the event, the parcel, whether it is verified, and warnings. */
function linesOf(arrival: Arrival, paint: Paint): string[] {
  const { at, event, parcel, latest, messageId, attempt, seq } = arrival;
  const status = forTerminal([parcel.status, parcel.subStatus && `(${parcel.subStatus})`].filter(Boolean).join(' '));
  const head = [paint('bold', forTerminal(event ?? 'no event')), forTerminal(parcel.number ?? ''), status]
    .filter(Boolean)
    .join('  ');
  const about = [
    attempt && `attempt ${attempt}`,
    seq !== null && `seq ${seq}`,
    messageId && `message ${messageId}`,
    answered(arrival),
  ].filter(Boolean);
  const lines = [
    `${paint('dim', clock(at))}  ${head}`,
    latest && `${INDENT}${forTerminal([latest.time, latest.location, latest.description].filter(Boolean).join('  '))}`,
    `${INDENT}${verified(arrival, paint)} · ${about.join(' · ')}`,
    ...remarks(arrival).map(([colour, remark]) => `${INDENT}${paint(colour, remark)}`),
  ];
  return lines.filter((line) => line !== null);
}

function verified({ verdict }: Arrival, paint: Paint): string {
  if (verdict === null) return paint('yellow', 'unverified');
  if (verdict.ok) return paint('green', 'verified');
  return paint('red', 'NOT VERIFIED');
}

function answered({ answer, delaySeconds }: Arrival): string {
  const later = delaySeconds > 0 ? ` in ${delaySeconds} s` : '';
  if (answer === 'hang') return 'no response';
  return answer === 'reset' ? `connection reset${later}` : `responded ${answer}${later}`;
}

function remarks({ isDuplicate, newerSeq, verdict }: Arrival): ['red' | 'yellow', string][] {
  if (verdict?.ok === false) return [['red', verdict.message]];
  return [
    ...(isDuplicate ? [mark('duplicate: this message was already accepted; do not process it again')] : []),
    ...(newerSeq === null
      ? []
      : [mark(`out of order: seq ${newerSeq} of this parcel already arrived; keep the newer state`)]),
  ];
}

function mark(text: string): ['yellow', string] {
  return ['yellow', text];
}

/** In the local time of the reader. */
function clock(at: Date): string {
  return at.toTimeString().slice(0, 8);
}

/** A push as JSON. */
function documentOf(arrival: Arrival): object {
  const { at, verdict, event, parcel, seq, latest, attempt, messageId, isDuplicate, newerSeq, ...rest } = arrival;
  return {
    type: 'push',
    time: at.toISOString(),
    event,
    tracking_number: parcel.number,
    status: parcel.status,
    sub_status: parcel.subStatus,
    seq,
    latest_event: latest,
    attempt: attempt === null ? null : Number(attempt),
    message_id: messageId,
    verified: verdict === null ? null : verdict.ok,
    reason: verdict?.ok === false ? verdict.reason : null,
    duplicate: isDuplicate,
    stale: newerSeq !== null,
    answer: rest.answer,
    delay_seconds: rest.delaySeconds,
    body: rest.body,
  };
}

/** A description of the fault; null if there is none. */
function describeFaults({ answer, delaySeconds, first }: Faults): string | null {
  const words = [
    answer === 'hang'
      ? 'never responds'
      : answer === 'reset'
        ? 'resets the connection'
        : answer && `responds ${answer}`,
    delaySeconds > 0 && `waits ${delaySeconds} s before each response`,
  ].filter((word) => typeof word === 'string');
  if (words.length === 0) return null;
  const scope = first === null ? '' : ` to the first ${first === 1 ? 'attempt' : `${first} attempts`} of each message`;
  return `simulates a fault: ${words.join(' and ')}${scope}`;
}

/** The URL under which this machine reaches it. */
function localUrl(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}/`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

type Registration = {
  id: string;
  url: string;
  secret: string;
  /** Whether the URL was already registered: then it is not removed at the end. */
  wasThere: boolean;
  /** @throws CommandError if it could not be removed */
  remove(): Promise<void>;
};

/** Registers a receiver for all events. @throws CommandError */
async function register(target: { baseUrl: string; apiKey: string }, url: string): Promise<Registration> {
  const client = createClient({
    ...target,
    timeoutMs: 10_000,
    userAgent: 'pts-receiver',
    maxRetries: MOMENTS,
    sleep: aMoment,
  });
  try {
    const { webhooks } = await client.webhooks.list();
    const wasThere = webhooks.some((webhook) => webhook.url === url);
    const { id, secret } = await client.webhooks.register({ url, events: CHANGE_KINDS });
    return { id, url, secret, wasThere, remove: () => remove(id) };
  } catch (error) {
    throw explain(error, target.baseUrl, url);
  }

  async function remove(id: string): Promise<void> {
    try {
      await client.webhooks.delete(id);
    } catch (error) {
      if (isApiError(error, 'not_found')) return;
      throw new CommandError(`The webhook ${id} could not be deleted and is still registered: ${messageOf(error)}`);
    }
  }
}

function explain(error: unknown, baseUrl: string, url: string): unknown {
  if (isApiError(error, 'invalid_field'))
    return new CommandError(
      `${baseUrl} rejected ${url}: ${error.message}\nIf the deployment rejects private receivers, set --url to a public https URL that leads here, such as a tunnel.`,
    );
  if (error instanceof TrackingApiError)
    return new CommandError(`${baseUrl} rejected the registration: ${error.message}`);
  if (error instanceof NoAnswerError) return new CommandError(`No response from ${baseUrl}: ${error.message}`);
  return error;
}
