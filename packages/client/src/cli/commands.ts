import type { Command } from './command.ts';
import { bulk } from './commands/bulk.ts';
import { completion } from './commands/completion.ts';
import { importFile } from './commands/import.ts';
import { listen } from './commands/listen.ts';
import { login, logout, whoami } from './commands/login.ts';
import { shipments } from './commands/shipments.ts';
import { track } from './commands/track.ts';
import { trigger } from './commands/trigger.ts';
import { deliveries, delivery, redeliver, replay } from './commands/webhooks/deliveries.ts';
import { addWebhook, listWebhooks, removeWebhook, rotateSecret, setEnabled } from './commands/webhooks/receivers.ts';
import { checkWebhook, testWebhook } from './commands/webhooks/try.ts';

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
