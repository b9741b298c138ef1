import { columns } from '@pts/core/text/align-columns';
import { toUtcSeconds } from '@pts/core/time';
import type { Db } from '@pts/db/connection/client';
import { type PendingFor, pendingEndpoints } from '@pts/db/deliveries/pending';
import { type Webhook, webhooksOfAnyone } from '@pts/db/webhooks';
import { pendingInWords, stateOf, viewWebhooks } from './webhooks.ts';

/** Endpoints with pending deliveries as JSON, the longest due first; of one account, if given. */
export async function readPending(db: Db, { now, accountId }: { now: Date; accountId?: string | undefined }) {
  const pending = [...(await pendingEndpoints(db))].sort((one, other) => Number(one.dueAt) - Number(other.dueAt));
  const webhooks = await webhooksOfAnyone(
    db,
    pending.map(({ webhookId }) => webhookId),
  );
  const own = webhooks.filter((webhook) => accountId === undefined || webhook.accountId === accountId);
  const views = new Map((await viewWebhooks(db, own, now)).map((view) => [view.id, view]));
  return pending.flatMap((each) => {
    const view = views.get(each.webhookId);
    return view ? [{ ...dueOf(each, now), ...view, state: stateOf(view) }] : [];
  });
}

function dueOf({ dueAt, failingSince, isClosed }: PendingFor, now: Date) {
  const overdueSeconds = Math.max(0, Math.round((now.getTime() - dueAt.getTime()) / 1000));
  return {
    due_at: toUtcSeconds(dueAt),
    overdue_seconds: overdueSeconds,
    is_healthy: failingSince === null && !isClosed,
  };
}

export type PendingView = Awaited<ReturnType<typeof readPending>>[number];

const HEADING = ['WEBHOOK', 'ACCOUNT', 'PENDING', 'OLDEST DUE', 'STATE', 'URL'];

/** The same as a table. */
export function pendingTable(pending: readonly PendingView[]): string[] {
  return columns([
    HEADING,
    ...pending.map((each) => [
      each.id,
      each.account_id,
      pendingInWords(each.pending),
      each.overdue_seconds > 0 ? `${each.due_at} (${each.overdue_seconds} s ago)` : each.due_at,
      each.state,
      each.url,
    ]),
  ]);
}

/** The enabled endpoints with pending deliveries, of an account or with an id. */
export async function openEndpoints(
  db: Db,
  { accountId, webhookId }: { accountId?: string | undefined; webhookId?: string | undefined },
): Promise<Webhook[]> {
  const ids = webhookId === undefined ? (await pendingEndpoints(db)).map((each) => each.webhookId) : [webhookId];
  const webhooks = await webhooksOfAnyone(db, ids);
  return webhooks.filter((webhook) => webhook.enabled && (accountId === undefined || webhook.accountId === accountId));
}
