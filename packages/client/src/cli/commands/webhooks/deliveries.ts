import { columns } from '@pts/core/terminal';
import { EVENT_KINDS } from '@pts/core/tracking/status';
import type { DeliveryFilter } from '../../../lists.ts';
import type { Delivery } from '../../../types.ts';
import { command } from '../../command.ts';
import { instant } from '../../values.ts';

export const deliveries = command({
  name: 'webhooks deliveries',
  about: 'Lists the last 50 attempts to deliver, newest first.',
  takes: [],
  options: {
    webhook: { value: 'ID', about: 'only to this webhook' },
    event: { value: 'KIND', about: 'only of this kind', choices: [...EVENT_KINDS, 'ping'] },
    message: { value: 'ID', about: 'only of this message (its X-Webhook-Id)' },
    parcel: { value: 'ID', about: 'only for the events of this parcel' },
    failed: { about: 'only failed ones' },
    before: { value: 'ID', about: 'the page after another one, which names it' },
  },
  async run({ client, signal, print, note }, { webhook, event, message, parcel, failed, before }) {
    const filter: DeliveryFilter = {
      webhook_id: webhook,
      // Checked against its choices.
      event: event as DeliveryFilter['event'],
      message_id: message,
      tracking_id: parcel,
      failed: failed || undefined,
      before,
    };
    const page = await client().webhooks.deliveries(filter, { signal });
    print(page, () => columns(page.items.map(cellsOf)));
    if (page.count === 0) note(page.next_before === null ? 'There are none.' : 'There are none so far.');
    if (page.next_before !== null) note(`There are more: --before ${page.next_before}`);
  },
});

function cellsOf({ id, ts, event, status_code, attempt, duration_ms, error, next_attempt_at }: Delivery): string[] {
  const next = next_attempt_at === null ? '' : `next attempt ${next_attempt_at}`;
  return [id, ts, event, String(status_code), `attempt ${attempt}`, `${duration_ms} ms`, error ?? '', next];
}

export const delivery = command({
  name: 'webhooks delivery',
  about: 'Shows one attempt in full: what was sent, what came back, how long it took.',
  takes: ['ID'],
  options: {},
  async run({ client, signal, print }, { ID }) {
    const one = await client().webhooks.delivery(ID, { signal });
    print(one, () => [
      ...columns([cellsOf(one)]),
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
  about: 'Sends the message of an attempt again, with the same X-Webhook-Id.',
  takes: ['ID'],
  options: {},
  async run({ client, signal, print }, { ID }) {
    const sent = await client().webhooks.redeliver(ID, { signal });
    print(sent, () => [
      `${sent.event} ${sent.message_id} is ${sent.state}; next attempt ${sent.next_attempt_at ?? 'none'}`,
    ]);
  },
});

export const replay = command({
  name: 'webhooks replay',
  about: 'Sends all events of a time range to a webhook again.',
  takes: ['ID'],
  options: {
    since: { value: 'TIME', isRequired: true, about: 'the start, such as 2026-03-01T16:00:00Z' },
    until: { value: 'TIME', about: 'the end (default: now)' },
  },
  async run({ client, signal, print }, { ID, since, until }) {
    const range = {
      since: instant('--since', since),
      ...(until === undefined ? {} : { until: instant('--until', until) }),
    };
    const started = await client().webhooks.replay(ID, range, { signal });
    print(started, () => [
      `Replay ${started.id}: ${started.total ?? 'many'} messages from ${started.since} to ${started.until}.`,
    ]);
  },
});
