import { columns, counted } from '@pts/core/terminal';
import { CHANGE_KINDS, EVENT_KINDS } from '@pts/core/tracking/status';
import { PUSH_FORMATS } from '@pts/core/webhook/push';
import type { DeliveryFilter } from '../../lists.ts';
import type { Delivery, NewWebhook, Webhook } from '../../types.ts';
import { command, instant } from '../command.ts';
import { EXIT } from '../errors.ts';
import { CommandError, listOf } from '../kit.ts';

export const listWebhooks = command({
  name: 'webhooks list',
  about: 'Lists your webhooks and their health.',
  takes: [],
  options: {},
  async run({ client, signal, print, note }) {
    const { count, webhooks } = await client().webhooks.list({ signal });
    print({ count, webhooks }, () => columns(webhooks.map(webhookCells)));
    if (count === 0)
      note('You have no webhooks. To register one, run `pts webhooks add URL`. `pts listen` works without one.');
  },
});

function webhookCells(webhook: Webhook): string[] {
  const { id, url, events, status, pending, disabled_reason, failing_since, filter, format, headers } = webhook;
  const why = disabled_reason ?? (failing_since === null ? '' : `failing since ${failing_since}`);
  const options = [
    ...(filter ? [`only ${JSON.stringify(filter)}`] : []),
    ...(format === undefined ? [] : [`/${format} format`]),
    ...(headers ? [`with ${Object.keys(headers).join(', ')}`] : []),
  ];
  return [id, status, url, events.join(','), options.join('; '), pending === 0 ? '' : `${pending} pending`, why];
}

export const addWebhook = command({
  name: 'webhooks add',
  about: 'Registers a webhook and shows its secret. The secret is shown only once.',
  takes: ['url'],
  options: {
    events: {
      value: 'LIST',
      about: `the kinds of events to send, separated by commas (default: ${CHANGE_KINDS.join(',')})`,
    },
    supersede: { about: 'while the webhook fails, keep only the newest update of each parcel' },
    header: {
      value: 'NAME',
      isList: true,
      about: 'add this header to every push, such as X-Api-Key; you are asked for its value',
    },
    carriers: { value: 'LIST', about: 'only events of parcels from these carriers' },
    'sub-statuses': { value: 'LIST', about: 'only events that leave the parcel in one of these sub-statuses' },
    problems: { value: 'LIST', about: 'only events of parcels with one of these problems' },
    metadata: { value: 'KEY=VALUE', isList: true, about: 'only events of parcels with this metadata' },
    format: { value: 'FORMAT', about: 'the format of the pushes', choices: PUSH_FORMATS },
    disabled: { about: 'send nothing until `pts webhooks enable` is run' },
  },
  async run({ client, signal, print, ask }, { url, events, header, disabled, ...more }) {
    const headers: Record<string, string> = {};
    for (const name of header) headers[name] = await ask(`Value of ${name}`, { isSecret: true });
    // The service names the kinds, carriers and states that it does not know.
    const wanted = {
      url,
      events: listOf(events) ?? CHANGE_KINDS,
      supersede: more.supersede,
      ...(header.length > 0 && { headers }),
      ...filterOf(more),
      ...(more.format !== undefined && { format: more.format }),
      ...(disabled && { enabled: false }),
    } as NewWebhook;
    const added = await client().webhooks.register(wanted, { signal });
    print(added, () => [
      `${added.id}  ${added.url}`,
      `secret ${added.secret}`,
      'Store the secret now. It is shown only once.',
    ]);
  },
});

type FilterOptions = {
  carriers: string | undefined;
  'sub-statuses': string | undefined;
  problems: string | undefined;
  metadata: readonly string[];
};

/** The filter that the options describe; several values of one key are alternatives. */
function filterOf({ carriers, 'sub-statuses': subStatuses, problems, metadata: pairs }: FilterOptions) {
  const metadata: Record<string, string[]> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new CommandError(`--metadata must be KEY=VALUE, not "${pair}".`, EXIT.usage);
    const key = pair.slice(0, at);
    metadata[key] = [...(metadata[key] ?? []), pair.slice(at + 1)];
  }
  const conditions = { carriers: listOf(carriers), sub_statuses: listOf(subStatuses), problems: listOf(problems) };
  const given = Object.entries(conditions).filter(([, values]) => values !== undefined);
  if (given.length === 0 && pairs.length === 0) return {};
  return { filter: { ...Object.fromEntries(given), ...(pairs.length > 0 && { metadata }) } };
}

export function setEnabled(name: 'enable' | 'disable', enabled: boolean) {
  return command({
    name: `webhooks ${name}`,
    about: enabled ? 'Resumes pushes to a webhook.' : 'Stops all pushes to a webhook.',
    takes: ['id'],
    options: { ...(enabled && { replay: { about: 'also send the events that it missed while it was disabled' } }) },
    async run({ client, signal, print }, input) {
      const { id, replay = false } = input as { id: string; replay?: boolean };
      const changed = await client().webhooks.patch(id, { enabled, ...(replay && { replay }) }, { signal });
      print(changed, () => [
        ...columns([webhookCells(changed)]),
        ...(changed.replay_id === undefined ? [] : [`Replay ${changed.replay_id} is sending the missed events.`]),
      ]);
    },
  });
}

export const rotateSecret = command({
  name: 'webhooks rotate-secret',
  about: 'Creates a new secret for a webhook. Pushes are also signed with the old one for 24 hours.',
  takes: ['id'],
  options: {},
  async run({ client, signal, print }, { id }) {
    const rotated = await client().webhooks.rotateSecret(id, { signal });
    print(rotated, () => [`secret ${rotated.secret}`, 'Store the secret now. It is shown only once.']);
  },
});

export const removeWebhook = command({
  name: 'webhooks remove',
  about: 'Deletes a webhook. It receives no more pushes.',
  takes: ['id'],
  options: {},
  async run({ client, signal, print }, { id }) {
    print(await client().webhooks.delete(id, { signal }), () => [`Deleted ${id}.`]);
  },
});

export const testWebhook = command({
  name: 'webhooks test',
  about: 'Sends a signed ping, by default to the newest webhook. If it is not accepted, the exit code is 1.',
  takes: ['id?'],
  options: {},
  async run({ client, signal, print }, { id }) {
    const result = await client().webhooks.test(id, { signal });
    const { reachable, http_status, response_ms, error } = result;
    const answered = reachable ? `${http_status} in ${response_ms} ms` : 'no response';
    print(result, () => [error === undefined ? answered : `${answered}: ${error}`]);
    return error === undefined ? EXIT.ok : EXIT.failed;
  },
});

export const checkWebhook = command({
  name: 'webhooks check',
  about: 'Checks that a receiver verifies pushes, and says how to fix it. If a check fails, the exit code is 1.',
  takes: ['id'],
  options: {},
  async run({ client, signal, print }, { id }) {
    const result = await client().webhooks.check(id, { signal });
    print(result, () =>
      columns(
        result.checks.map(({ name, expected, http_status, response_ms, passed, advice }) => [
          passed ? 'passed' : 'FAILED',
          name,
          `expected ${expected}, got ${http_status} in ${response_ms} ms`,
          advice ?? '',
        ]),
      ),
    );
    return result.passed ? EXIT.ok : EXIT.failed;
  },
});

export const deliveries = command({
  name: 'webhooks deliveries',
  about: 'Lists the last 50 delivery attempts, newest first.',
  takes: [],
  options: {
    webhook: { value: 'ID', about: 'only attempts to this webhook' },
    event: { value: 'KIND', about: 'only events of this kind', choices: [...EVENT_KINDS, 'ping'] },
    message: { value: 'ID', about: 'only attempts of this message (its X-Webhook-Id)' },
    parcel: { value: 'ID', about: 'only events of this parcel' },
    failed: { about: 'only failed attempts' },
    before: { value: 'ID', about: 'continue after an earlier page; each page prints the id to use' },
  },
  async run({ client, signal, print, note }, { webhook, event, message, parcel, failed, before }) {
    const filter: DeliveryFilter = {
      webhook_id: webhook,
      event,
      message_id: message,
      tracking_id: parcel,
      failed: failed || undefined,
      before,
    };
    const page = await client().webhooks.deliveries(filter, { signal });
    print(page, () => columns(page.items.map(attemptCells)));
    if (page.count === 0) note(page.next_before === null ? 'No attempts match.' : 'No attempts match on this page.');
    if (page.next_before !== null) note(`For the next page, add --before ${page.next_before}`);
  },
});

function attemptCells({
  id,
  ts,
  event,
  status_code,
  attempt,
  duration_ms,
  error,
  next_attempt_at,
}: Delivery): string[] {
  const next = next_attempt_at === null ? '' : `next attempt ${next_attempt_at}`;
  return [id, ts, event, String(status_code), `attempt ${attempt}`, `${duration_ms} ms`, error ?? '', next];
}

export const delivery = command({
  name: 'webhooks delivery',
  about: 'Shows the request, response and timing of a delivery attempt.',
  takes: ['id'],
  options: {},
  async run({ client, signal, print }, { id }) {
    const one = await client().webhooks.delivery(id, { signal });
    print(one, () => [
      ...columns([attemptCells(one)]),
      `POST ${one.request.url ?? '(removed)'}`,
      ...Object.entries(one.request.headers ?? {}).map(([name, value]) => `${name}: ${value ?? '(not stored)'}`),
      one.request.body ?? '(the body is no longer stored)',
      '',
      one.response.head ?? `status ${one.response.status_code}`,
      one.response.excerpt ?? '',
    ]);
  },
});

export const redeliver = command({
  name: 'webhooks redeliver',
  about: 'Resends the message of a delivery attempt, with the same X-Webhook-Id.',
  takes: ['id'],
  options: {},
  async run({ client, signal, print }, { id }) {
    const sent = await client().webhooks.redeliver(id, { signal });
    print(sent, () => [`Resending ${sent.event} ${sent.message_id}. Next attempt: ${sent.next_attempt_at ?? 'now'}`]);
  },
});

export const replay = command({
  name: 'webhooks replay',
  about: 'Resends all events from a time range to a webhook.',
  takes: ['id'],
  options: {
    since: { value: 'TIME', isRequired: true, about: 'start of the range, such as 2026-03-01T16:00:00Z' },
    until: { value: 'TIME', about: 'end of the range (default: now)' },
  },
  async run({ client, signal, print }, { id, since, until }) {
    const range = {
      since: instant('--since', since),
      ...(until === undefined ? {} : { until: instant('--until', until) }),
    };
    const started = await client().webhooks.replay(id, range, { signal });
    print(started, () => [
      `Replay ${started.id} is resending ${started.total === null ? 'all messages' : counted(started.total, 'message')} from ${started.since} to ${started.until}.`,
    ]);
  },
});
