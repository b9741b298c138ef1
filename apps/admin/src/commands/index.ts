import type { Command } from '../command.ts';
import { receiverCheck } from '../receiver/check.ts';
import { receiver } from '../receiver/receiver.ts';
import { smoke } from '../smoke.ts';
import { accounts } from './accounts.ts';
import { audit } from './audit.ts';
import { carriers } from './carriers.ts';
import { deliveries } from './deliveries.ts';
import { doctor } from './doctor.ts';
import { keys } from './keys.ts';
import { members } from './members.ts';
import { migrate } from './migrate.ts';
import { operatorKeys } from './operator-keys.ts';
import { providers } from './providers.ts';
import { queues } from './queues.ts';
import { trackings } from './trackings.ts';
import { webhooks } from './webhooks.ts';

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [
  ...accounts,
  ...audit,
  ...keys,
  ...members,
  ...operatorKeys,
  ...trackings,
  ...webhooks,
  ...deliveries,
  ...providers,
  ...queues,
  ...carriers,
  doctor,
  migrate,
  smoke,
  receiver,
  receiverCheck,
];
