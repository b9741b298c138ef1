import { EVENT_KINDS } from '@pts/core/tracking/status';
import { rootOf } from '../../request.ts';
import type { StreamedEvent } from '../../types.ts';
import { type Context, command } from '../command.ts';
import { createSecret, type Forwarded, forward } from '../listen/forward.ts';
import { usageProblem } from '../parse.ts';
import { EXIT } from '../problem.ts';
import { wholeNumber } from '../values.ts';

const MAX_REPLAYED = 200;

export const listen = command({
  name: 'listen',
  about: 'Forwards events to a receiver on your machine, signed like real pushes: no public address is needed.',
  takes: [],
  options: {
    'forward-to': {
      value: 'URL',
      about: 'the receiver, such as http://localhost:3000/hooks; without it, events are only shown',
    },
    events: { value: 'LIST', about: `only these kinds, separated by commas: ${EVENT_KINDS.join(',')}` },
    replay: { value: 'N', about: `begins with the last N events (1 to ${MAX_REPLAYED})` },
    'print-secret': { about: 'prints the signing secret and ends' },
  },
  details: [
    'The secret is created once and kept; PTS_LISTEN_SECRET replaces it. It is not the secret of a registered webhook.',
    'An event is sent once: --replay sends events again. A lost connection to the service is resumed without a gap.',
  ],
  async run(context, { events, replay, ...input }) {
    const { client, signal, isJson, note, print, raw } = context;
    const secret = secretOf(context);
    if (input['print-secret']) return raw(`${secret}\n`);
    const url = input['forward-to'] === undefined ? null : targetFrom(input['forward-to']);
    const kinds = events === undefined ? EVENT_KINDS : kindsFrom(events);
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
  throw usageProblem(`--forward-to must be an address such as http://localhost:3000/hooks, not "${text}".`);
}

function kindsFrom(text: string): readonly string[] {
  const kinds = text.split(',').map((one) => one.trim());
  const unknown = kinds.find((one) => !(EVENT_KINDS as readonly string[]).includes(one));
  if (unknown === undefined) return kinds;
  throw usageProblem(`--events: there is no "${unknown}"; choose from ${EVENT_KINDS.join(', ')}.`);
}

function introduction(account: string, url: string | null, secret: string): string[] {
  if (url === null) return [`Events of ${account}; Ctrl-C ends. --forward-to URL sends them to your receiver.`];
  return [
    `Events of ${account} go to ${url}; Ctrl-C ends.`,
    `They are signed with ${secret}`,
    'Give this secret to your receiver, for example as WEBHOOK_SECRET.',
  ];
}

/** What the receiver answered, and the address of the guide to that. */
type Shown = Forwarded & { docsUrl: string | null };

/** With 400 and 401 a receiver says that the push does not verify: the guide has the reasons. */
function helpFor({ status }: Forwarded, baseUrl = ''): string | null {
  return status === 400 || status === 401 ? `${rootOf(baseUrl)}/docs/receivers#why-a-push-is-refused` : null;
}

function linesOf({ event, data }: StreamedEvent, answer: Shown | null, at: Date): string[] {
  const clock = at.toTimeString().slice(0, 8);
  const head = `${clock}  ${event.padEnd(18)}  ${data.tracking_number}  ${data.status} (${data.sub_status})`;
  if (answer === null) return [head];
  const { status, ms, error, excerpt, docsUrl } = answer;
  const result = status === 0 ? `no answer: ${error}` : `${status} in ${ms} ms${error === null ? '' : `: ${error}`}`;
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
