import type { Command } from '../command-line/command.ts';
import { accountsCopy } from './accounts/copy.ts';
import { accountsCorrectQuota } from './accounts/correct-quota.ts';
import { accountsCreate } from './accounts/create.ts';
import { accountsDelete } from './accounts/delete.ts';
import { accountsDisable } from './accounts/disable.ts';
import { accountsEnable } from './accounts/enable.ts';
import { accountsExport } from './accounts/export.ts';
import { accountsList } from './accounts/list.ts';
import { accountsSetPlan } from './accounts/set-plan.ts';
import { accountsSetQuota } from './accounts/set-quota.ts';
import { accountsShow } from './accounts/show.ts';
import { auditExport } from './audit/export.ts';
import { carriersParse, carriersReplay } from './carriers/answers.ts';
import { carriersBacktest } from './carriers/backtest.ts';
import { carriersCallbackAddresses } from './carriers/callback-addresses.ts';
import { carriersDetect } from './carriers/detect.ts';
import { deliveriesOf } from './deliveries/of.ts';
import { deliveriesPending } from './deliveries/pending.ts';
import { deliveriesRequeue } from './deliveries/requeue.ts';
import { deliveriesStuck } from './deliveries/stuck.ts';
import { doctor } from './doctor.ts';
import { keysCreate } from './keys/create.ts';
import { keysList } from './keys/list.ts';
import { keysReEncrypt } from './keys/re-encrypt.ts';
import { keysReset } from './keys/reset.ts';
import { keysRevoke } from './keys/revoke.ts';
import { migrate } from './migrate.ts';
import { providersBudget } from './providers/budget.ts';
import { providersList } from './providers/list.ts';
import { providersPause } from './providers/pause.ts';
import { providersResume } from './providers/resume.ts';
import { providersTry } from './providers/try.ts';
import { queuesDepth } from './queues/depth.ts';
import { queuesDrain } from './queues/drain.ts';
import { queuesPause } from './queues/pause.ts';
import { queuesResume } from './queues/resume.ts';
import { receiver } from './receiver.ts';
import { receiverCheck } from './receiver-check.ts';
import { smoke } from './smoke.ts';
import { trackingsShow } from './trackings/show.ts';
import { webhooksDisable } from './webhooks/disable.ts';
import { webhooksEnable } from './webhooks/enable.ts';
import { webhooksList } from './webhooks/list.ts';
import { webhooksReplay } from './webhooks/replay.ts';

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [
  accountsCreate,
  accountsList,
  accountsShow,
  accountsDisable,
  accountsEnable,
  accountsSetPlan,
  accountsSetQuota,
  accountsCorrectQuota,
  accountsExport,
  accountsCopy,
  accountsDelete,
  auditExport,
  keysCreate,
  keysList,
  keysReset,
  keysRevoke,
  keysReEncrypt,
  trackingsShow,
  webhooksList,
  webhooksEnable,
  webhooksDisable,
  webhooksReplay,
  deliveriesOf,
  deliveriesPending,
  deliveriesStuck,
  deliveriesRequeue,
  providersList,
  providersPause,
  providersResume,
  providersBudget,
  providersTry,
  queuesDepth,
  queuesPause,
  queuesResume,
  queuesDrain,
  carriersDetect,
  carriersParse,
  carriersReplay,
  carriersBacktest,
  carriersCallbackAddresses,
  doctor,
  migrate,
  smoke,
  receiver,
  receiverCheck,
];
