import { type AccountAttention, ATTENTION_REASONS, type AttentionReason, accountAttention } from '@pts/core/attention';
import type { Account } from '@pts/db/accounts/accounts';
import { countAttention, listShipments, NEWEST_CHANGE_FIRST, type ShipmentRow } from '@pts/db/shipments';
import { listWebhooks } from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { readQuota } from './quota.ts';

const NEWEST = 10;

/** What needs attention at a moment: of the account, how many parcels for each reason, and those that had news last. */
export type AttentionSummary = {
  account: AccountAttention[];
  counts: Map<AttentionReason, number>;
  newest: ShipmentRow[];
};

/** Reads what needs an account's attention at `at`. */
export async function readAttention(
  ctx: Pick<ServiceContext, 'db' | 'quotas' | 'now'>,
  account: Account,
  at: Date,
): Promise<AttentionSummary> {
  const { db } = ctx;
  const filter = { accountId: account.id, attention: { reasons: ATTENTION_REASONS, now: at } };
  const [quota, webhooks, counts, newest] = await Promise.all([
    readQuota(ctx, account),
    listWebhooks(db, account.id),
    countAttention(db, account.id, at),
    listShipments(db, { filter, order: NEWEST_CHANGE_FIRST, limit: NEWEST }),
  ]);
  return { account: accountAttention(quota, webhooks), counts, newest: newest.rows };
}
