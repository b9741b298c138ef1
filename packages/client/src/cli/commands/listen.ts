import { randomBytes } from 'node:crypto';
import { CHANGE_KINDS, EVENT_KINDS } from '@pts/core/tracking/status';
import { newSecret, pushHeaders } from '@pts/core/webhook/push';
import { rootOf } from '../../request.ts';
import type { StreamedEvent } from '../../types.ts';
import { type Context, command } from '../command.ts';
import { EXIT } from '../errors.ts';
import { listOf, UsageError, wholeNumber } from '../kit.ts';

const MAX_REPLAYED = 200;

export const listen = command({
  name: 'listen',
  about: 'Forwards events to a receiver on your machine, signed like real pushes. It needs no public address.',
  takes: [],
  options: {
    'forward-to': {
      value: 'URL',
      about: 'the receiver, such as http://localhost:3000/hooks; without it, events are only printed',
    },
    events: { value: 'LIST', about: `only these kinds of events, separated by commas: ${EVENT_KINDS.join(',')}` },
    replay: { value: 'N', about: `start with the last N events (1 to ${MAX_REPLAYED})` },
    'print-secret': { about: 'print the signing secret and exit' },
  },
  details: [
    'The secret is created once and stored. Set PTS_LISTEN_SECRET to use your own. It differs from your webhooks’ secrets.',
    'Each event is sent once; --replay sends earlier ones again. After a lost connection, no event is missed.',
  ],
  async run(context, { events, replay, ...input }) {
    const { client, signal, isJson, note, print, raw } = context;
    const secret = secretOf(context);
    if (input['print-secret']) return raw(`${secret}\n`);
    const url = input['forward-to'] === undefined ? null : targetFrom(input['forward-to']);
    const kinds = events === undefined ? CHANGE_KINDS : kindsFrom(events);
    const last = replay === undefined ? undefined : wholeNumber('--replay', replay, 1, MAX_REPLAYED);
    // Wrong keys and addresses are reported at once; from here on, it connects again until Ctrl-C.
    const api = client();
    const me = await api.auth.me({ signal });
    const { next_cursor: end } = await api.events.list({ after: 'latest' }, { signal });
    const from = last === undefined ? { after: end } : { last };
    if (isJson) print({ type: 'ready', account: me.name, forward_to: url, secret, events: kinds }, () => []);
    else for (const line of introduction(me.name, url, secret)) note(line);
    const stream = client({ isPatient: true }).events.stream(from, { signal, maxRetries: Number.POSITIVE_INFINITY });
    try {
      for await (const event of stream) {
        if (!(kinds as readonly string[]).includes(event.event)) continue;
        const answer = url === null ? null : await forward(event, { ...context, url, secret });
        const shown = answer && { ...answer, docsUrl: helpFor(answer, context.settings.url) };
        print(documentOf(event, shown, context.now()), () => linesOf(event, shown, context.now()));
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    // It has no other end.
    return EXIT.ok;
  },
});

function secretOf({ settings }: Context): string {
  if (settings.listenSecret) return settings.listenSecret;
  const secret = createSecret();
  settings.store({ listen_secret: secret });
  return secret;
}

function targetFrom(text: string): string {
  const url = /^\d+$/.test(text) ? `http://localhost:${text}` : text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new UsageError(`--forward-to must be an address such as http://localhost:3000/hooks, not "${text}".`);
}

function kindsFrom(text: string): readonly string[] {
  const kinds = listOf(text);
  const unknown = kinds.find((one) => !(EVENT_KINDS as readonly string[]).includes(one));
  if (unknown === undefined) return kinds;
  throw new UsageError(
    `--events contains "${unknown}", which is not a kind of event. Choose from ${EVENT_KINDS.join(', ')}.`,
  );
}

function introduction(account: string, url: string | null, secret: string): string[] {
  if (url === null)
    return [`Showing events of ${account}. To forward them to a receiver, add --forward-to URL. Press Ctrl-C to stop.`];
  return [
    `Forwarding events of ${account} to ${url}. Press Ctrl-C to stop.`,
    `Signing secret: ${secret}`,
    'Give this secret to your receiver, for example as WEBHOOK_SECRET.',
  ];
}

/** A receiver's answer, and the address of the guide to it. */
type Shown = Forwarded & { docsUrl: string | null };

/** The guide to the reasons for 400 and 401, by which a receiver says that the push does not verify. */
function helpFor({ status }: Forwarded, baseUrl = ''): string | null {
  return status === 400 || status === 401 ? `${rootOf(baseUrl)}/docs/receivers#why-a-push-is-refused` : null;
}

function linesOf({ event, data }: StreamedEvent, answer: Shown | null, at: Date): string[] {
  const clock = at.toTimeString().slice(0, 8);
  const head = `${clock}  ${event.padEnd(18)}  ${data.tracking_number}  ${data.status} (${data.sub_status})`;
  if (answer === null) return [head];
  const { status, ms, error, excerpt, docsUrl } = answer;
  const result = status === 0 ? `no response: ${error}` : `${status} in ${ms} ms${error === null ? '' : `: ${error}`}`;
  const details = [error !== null && excerpt !== '' ? excerpt.slice(0, 200) : null, docsUrl && `See ${docsUrl}`];
  return [`${head}  -> ${result}`, ...details.filter(Boolean).map((line) => `          ${line}`)];
}

function documentOf({ id, event, created_at, data, cursor }: StreamedEvent, answer: Shown | null, at: Date): object {
  const forwarded =
    answer === null
      ? null
      : {
          status_code: answer.status,
          response_ms: answer.ms,
          error: answer.error,
          response_excerpt: answer.excerpt,
          docs_url: answer.docsUrl,
        };
  return { type: 'event', at: at.toISOString(), message_id: id, event, created_at, data, cursor, forwarded };
}

/** The time for which the service waits for a receiver (spec section 6.4). */
const TIMEOUT_MS = 10_000;
/** Number of bytes of a response that the service keeps. */
const EXCERPT_BYTES = 1024;

const createSecret = () => newSecret(randomBytes(32));

/** A receiver's answer; status 0: there was none, and `error` says why. */
type Forwarded = { status: number; ms: number; error: string | null; excerpt: string };

type Target = { url: string; secret: string; signal: AbortSignal; now(): Date };

/** Sends an event as the service pushes it: the same body, headers and signatures, with a secret of our own. */
async function forward(event: StreamedEvent, { url, secret, signal, now }: Target): Promise<Forwarded> {
  const { id, cursor: _, ...push } = event;
  const body = JSON.stringify(push);
  const headers = pushHeaders({ messageId: id, event: push.event, attempt: 1, body, secrets: [secret], sentAt: now() });
  const startedAt = performance.now();
  const msSoFar = () => Math.round(performance.now() - startedAt);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const init = {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    } as const;
    const response = await fetch(url, init);
    const excerpt = await excerptOf(response);
    return { status: response.status, ms: msSoFar(), error: faultOf(response.status), excerpt };
  } catch (error) {
    signal.throwIfAborted();
    const why = timeout.aborted ? 'no response within 10 seconds' : reasonOf(error, url);
    return { status: 0, ms: msSoFar(), error: why, excerpt: '' };
  }
}

async function excerptOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= EXCERPT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').trim();
}

/** How the service treats a status. */
function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirects are not followed';
  return status === 410 ? 'the service would disable the webhook' : 'the service would retry';
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there. Start your receiver',
  ENOTFOUND: 'the host does not exist',
  ECONNRESET: 'the receiver closed the connection without a response',
};

/** fetch has the reason only in its cause; with several addresses, in the causes of that one. */
function reasonOf(error: unknown, url: string): string {
  const { cause } = error as { cause?: { code?: string; message?: string; errors?: { code?: string }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? '';
  return `${new URL(url).origin}: ${REASONS[code] ?? (cause?.message || code || String(error))}`;
}
