import { columns } from '@pts/core/terminal';
import { EVENT_KINDS } from '@pts/core/tracking/status';
import type { NewWebhook, Webhook } from '../../../types.ts';
import { command } from '../../command.ts';

export const listWebhooks = command({
  name: 'webhooks list',
  about: 'Lists your webhooks and how they are doing.',
  takes: [],
  options: {},
  async run({ client, signal, print, note }) {
    const { count, webhooks } = await client().webhooks.list({ signal });
    print({ count, webhooks }, () => columns(webhooks.map(cellsOf)));
    if (count === 0) note('There are none: `pts webhooks add URL` registers one, `pts listen` needs none.');
  },
});

function cellsOf({ id, url, events, status, pending, disabled_reason, failing_since }: Webhook): string[] {
  const why = disabled_reason ?? (failing_since === null ? '' : `failing since ${failing_since}`);
  return [id, status, url, events.join(','), pending === 0 ? '' : `${pending} pending`, why];
}

export const addWebhook = command({
  name: 'webhooks add',
  about: 'Registers a receiver and shows its secret, which is not shown again.',
  takes: ['URL'],
  options: {
    events: { value: 'LIST', about: `the kinds of event, separated by commas (default: ${EVENT_KINDS.join(',')})` },
    supersede: { about: 'while it fails, only the newest update of each parcel stays pending' },
  },
  async run({ client, signal, print }, { URL: url, events, supersede }) {
    // The service names the kinds that it does not know.
    const kinds = (events?.split(',').map((one) => one.trim()) ?? [...EVENT_KINDS]) as NewWebhook['events'];
    const added = await client().webhooks.register({ url, events: kinds, supersede }, { signal });
    print(added, () => [
      `${added.id}  ${added.url}`,
      `secret ${added.secret}`,
      'Store the secret: it is not shown again.',
    ]);
  },
});

export function setEnabled(name: 'enable' | 'disable', enabled: boolean) {
  return command({
    name: `webhooks ${name}`,
    about: enabled ? 'Resumes the pushes to a webhook.' : 'Stops all pushes to a webhook.',
    takes: ['ID'],
    options: {},
    async run({ client, signal, print }, { ID }) {
      const changed = await client().webhooks.patch(ID, { enabled }, { signal });
      print(changed, () => columns([cellsOf(changed)]));
    },
  });
}

export const rotateSecret = command({
  name: 'webhooks rotate-secret',
  about: 'Replaces the secret of a webhook; the former one signs for another 24 hours.',
  takes: ['ID'],
  options: {},
  async run({ client, signal, print }, { ID }) {
    const rotated = await client().webhooks.rotateSecret(ID, { signal });
    print(rotated, () => [`secret ${rotated.secret}`, 'Store the secret: it is not shown again.']);
  },
});

export const removeWebhook = command({
  name: 'webhooks remove',
  about: 'Removes a webhook; nothing more is sent to it.',
  takes: ['ID'],
  options: {},
  async run({ client, signal, print }, { ID }) {
    print(await client().webhooks.delete(ID, { signal }), () => [`${ID} was removed.`]);
  },
});
