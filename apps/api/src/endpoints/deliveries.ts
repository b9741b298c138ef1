import { limitOf } from '@pts/contract/common';
import * as contract from '@pts/contract/deliveries';
import { message, readMessage } from '@pts/core/languages/message';
import { rangeFaults, toUtcSeconds } from '@pts/core/time';
import { type ReplayRange, signingSecretsThen } from '@pts/core/webhook/endpoint';
import { familyBody } from '@pts/core/webhook/family';
import { curlCommand, pastPush } from '@pts/core/webhook/push';
import {
  type AttemptRecord,
  type AttemptRow,
  findAttempt,
  findParcels,
  listAttempts,
  type MessageParcel,
} from '@pts/db/deliveries/log';
import { listReplays as list, type Replay } from '@pts/db/deliveries/send-again';
import { findWebhook } from '@pts/db/webhooks';
import type { SecretCipher } from '@pts/runtime/encryption/keyring';
import {
  cancelReplay as cancel,
  countReplay,
  noSuchRecord,
  redeliver as sendAgain,
  startReplay as start,
} from '@pts/service/deliveries';
import { FAMILY_FACTS } from '@pts/service/family';
import { momentOf } from '@pts/service/shipments';
import { noSuchWebhook } from '@pts/service/webhooks';
import { operation } from '../http/operation.ts';
import { instant } from './webhooks.ts';

/** GET /webhooks/deliveries */
export const listDeliveries = operation(contract.listDeliveries, {
  faults: (_deps, query) => rangeFaults(query, 'since', 'until'),
  async run(deps, { account }, { limit: limitText, before, parcels, ...query }) {
    const { webhook_id, event, message_id, tracking_id, failed, status_code, outcome, since, until } = query;
    const limit = limitOf(limitText);
    const filter = {
      accountId: account.id,
      webhookId: webhook_id,
      event,
      messageId: message_id,
      trackingId: tracking_id,
      failed: failed === undefined ? undefined : failed === 'true',
      statusCode: status_code ? Number(status_code) : undefined,
      outcome,
      since: momentOf(since),
      until: momentOf(until),
      before,
      limit,
    };
    const { items, next } = await deps.reads.read(account.id, async (db) => {
      const { rows, next } = await listAttempts(db, filter);
      if (parcels !== 'true') return { items: rows.map(viewAttempt), next };
      const messageIds = rows.map(({ messageId }) => messageId);
      const parcelOf = await findParcels(db, account.id, messageIds);
      return { items: rows.map((row) => ({ ...viewAttempt(row), ...viewParcel(parcelOf.get(row.messageId)) })), next };
    });
    return {
      count: items.length,
      items,
      next_before: next,
    };
  },
});

/** GET /webhooks/deliveries/{id} */
export const explainDelivery = operation(contract.explainDelivery, {
  async run(deps, { account }, { id }) {
    const record = await findAttempt(deps.db, account.id, id);
    if (!record) throw noSuchRecord();
    const { attempt, body, delivery, others } = record;
    return {
      ...viewAttempt(attempt),
      ...viewParcel(parcelIn(body)),
      delivery: delivery && {
        state: delivery.state,
        attempts: delivery.attempts,
        round: delivery.round,
        next_attempt_at: instant(delivery.nextAttemptAt),
      },
      request: pastRequest(record, deps.secretCipher),
      response: {
        status_code: attempt.statusCode,
        head: record.trace?.head ?? null,
        excerpt: attempt.responseExcerpt,
      },
      timing: timingOf(record),
      other_attempts: others.map((other) => ({
        id: other.id,
        ts: toUtcSeconds(other.startedAt),
        status_code: other.statusCode,
        attempt: other.attempt,
        round: other.round,
      })),
    };
  },
});

function timingOf({ attempt, trace }: AttemptRecord) {
  return {
    dns_ms: trace?.dnsMs ?? null,
    connect_ms: trace?.connectMs ?? null,
    tls_ms: trace?.tlsMs ?? null,
    first_byte_ms: trace?.firstByteMs ?? null,
    total_ms: attempt.durationMs,
    address: trace?.address ?? null,
    reused: trace?.reused ?? null,
  };
}

/** POST /webhooks/deliveries/{id}/redeliver */
export const redeliver = operation(contract.redeliver, {
  async run(deps, { account }, { id }) {
    const redelivery = await sendAgain(deps, { accountId: account.id, recordId: id });
    const { messageId, webhookId, event, state, attempts, round, nextAttemptAt } = redelivery;
    return {
      id,
      message_id: messageId,
      webhook_id: webhookId,
      event,
      state,
      attempts,
      round,
      next_attempt_at: instant(nextAttemptAt),
    };
  },
});

/** POST /webhooks/{id}/replay */
export const startReplay = operation(contract.startReplay, {
  async run(deps, { account }, { id: webhookId, since, until, dry_run: isDryRun }) {
    const wanted = { accountId: account.id, webhookId, since, until };
    return isDryRun
      ? viewReplayCount(webhookId, await countReplay(deps, wanted))
      : viewReplay(await start(deps, wanted));
  },
});

/** GET /webhooks/{id}/replays */
export const listReplays = operation(contract.listReplays, {
  async run({ db }, { account }, { id }) {
    if (!(await findWebhook(db, account.id, id))) throw noSuchWebhook();
    const replays = await list(db, account.id, id);
    return { count: replays.length, replays: replays.map(viewReplay) };
  },
});

/** DELETE /webhooks/{id}/replays/{replay_id} */
export const cancelReplay = operation(contract.cancelReplay, {
  async run(deps, { account }, { id, replay_id }) {
    return viewReplay(await cancel(deps, { accountId: account.id, webhookId: id, id: replay_id }));
  },
});

/** Describes what a replay would send. */
function viewReplayCount(webhookId: string, { since, until, total }: ReplayRange & { total: number | null }) {
  const range = { since: toUtcSeconds(since), until: toUtcSeconds(until) };
  return { dry_run: true as const, webhook_id: webhookId, ...range, total };
}

/** A replay and its progress. */
function viewReplay({ id, webhookId, since, until, state, total, replayed, createdAt, finishedAt }: Replay) {
  return {
    id,
    webhook_id: webhookId,
    since: toUtcSeconds(since),
    until: toUtcSeconds(until),
    state,
    total,
    replayed,
    created_at: toUtcSeconds(createdAt),
    finished_at: instant(finishedAt),
  };
}

/** A delivery record, the spec's five fields first (spec section 2.5). */
function viewAttempt(row: AttemptRow) {
  return {
    ts: toUtcSeconds(row.startedAt),
    event: row.event,
    status_code: row.statusCode,
    attempt: row.attempt,
    error: readMessage(row.error),
    id: row.id,
    message_id: row.messageId,
    webhook_id: row.webhookId,
    duration_ms: row.durationMs,
    next_attempt_at: instant(row.nextAttemptAt),
    response_excerpt: row.responseExcerpt,
    round: row.round,
  };
}

function viewParcel(parcel: MessageParcel | undefined) {
  return { tracking_id: parcel?.id ?? null, tracking_number: parcel?.trackingNumber ?? null };
}

/** The parcel that the body of an event names; a notice names none. */
function parcelIn(body: string | null): MessageParcel | undefined {
  if (body === null) return undefined;
  const { data } = JSON.parse(body) as { data: { id?: string; tracking_number?: string } };
  const { id, tracking_number: trackingNumber } = data;
  return id === undefined || trackingNumber === undefined ? undefined : { id, trackingNumber };
}

/** The request of a past attempt as far as it is still known, with notes on what is missing. */
function pastRequest(
  { attempt, trace, webhook, body: stored }: AttemptRecord,
  secretCipher: Pick<SecretCipher, 'decrypt'>,
) {
  const secrets = webhook && signingSecretsThen(webhook, attempt.startedAt);
  const { messageId, event, startedAt: sentAt } = attempt;
  const format = trace?.format ?? 'v1';
  const body = stored !== null && format === 'v4' ? familyBody(stored, FAMILY_FACTS) : stored;
  const { headers: recomputed, signedString } = pastPush({
    messageId,
    event,
    attempt: attempt.attempt,
    sentAt,
    format,
    staticHeaders: trace?.staticHeaders ?? null,
    body: body ?? '',
    // Without the body, the signature is not known either.
    secrets: body === null ? null : (secrets?.map((secret) => secretCipher.decrypt(secret)) ?? null),
  });
  const headers = trace?.headers ?? recomputed;
  const url = webhook && (trace?.url ?? webhook.url);
  const isWhole = url !== null && body !== null;
  return {
    method: 'POST' as const,
    url,
    headers,
    body,
    signed_string: body === null ? null : signedString,
    curl: isWhole ? curlCommand({ url, headers: known(headers), body }) : null,
    notes: [
      ...(webhook === null ? [message('past.no_webhook')] : []),
      ...(webhook !== null && secrets === null && !trace?.headers ? [message('past.no_secret')] : []),
      ...(body === null ? [message(event === 'ping' ? 'past.no_ping' : 'past.no_body')] : []),
      ...(trace?.staticHeaders ? [message('past.masked')] : []),
      ...(isWhole ? [message('past.stale')] : []),
    ],
  };
}

function known(headers: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
