import type { Infer } from '@pts/contract/schema';
import * as contract from '@pts/contract/webhooks';
import { type Fault, invalidField, nothingToChange } from '@pts/core/errors';
import { message, readMessage } from '@pts/core/languages/message';
import { lastHours } from '@pts/core/stats';
import { toNaiveUtc, toUtcSeconds } from '@pts/core/time';
import { ENDPOINT_HOURS } from '@pts/core/webhook/endpoint';
import { maskedHeaders } from '@pts/core/webhook/headers';
import { SIGNATURE_HEADER_TEXT } from '@pts/core/webhook/push';
import { type CheckName, expectedOf } from '@pts/core/webhook/receiver-check';
import { recentAttempts } from '@pts/db/deliveries/log';
import { type EndpointHour, readEndpointHours } from '@pts/db/stats';
import { findWebhook, isBeginningToMonitor, listWebhooks as list, pendingOf, type Webhook } from '@pts/db/webhooks';
import type { CheckTrace } from '@pts/egress/check-receiver';
import {
  changeWebhook,
  checkWebhook as check,
  headersOf,
  noSuchWebhook,
  pingWebhook,
  previewTestPush,
  registerWebhook as register,
  deleteWebhook as remove,
  rotateWebhookSecret as rotate,
  sendTestPush,
  type WebhookWithSecret,
  webhookFaults,
} from '@pts/service/webhooks';
import type { ApiDeps } from '../deps.ts';
import { type Localized, operation } from '../http/operation.ts';

/** POST /webhooks */
export const registerWebhook = operation(contract.registerWebhook, {
  faults: webhookFaults,
  async run(deps, { account }, chosen) {
    return viewRegistered(await register(deps, { ...chosen, accountId: account.id }));
  },
});

/** GET /webhooks */
export const listWebhooks = operation(contract.listWebhooks, {
  async run(deps, { account }) {
    const webhooks = await list(deps.db, account.id);
    return { count: webhooks.length, webhooks: await viewWebhooks(deps, webhooks) };
  },
});

/** GET /webhooks/{id} */
export const getWebhook = operation(contract.getWebhook, {
  async run(deps, { account }, { id }) {
    const found = await findWebhook(deps.db, account.id, id);
    if (!found) throw noSuchWebhook();
    return viewWebhook(deps, found);
  },
});

const CHANGEABLE = ['url', 'events', 'enabled', 'supersede', 'headers', 'filter', 'format'] as const;

/** PATCH /webhooks/{id} */
export const updateWebhook = operation(contract.updateWebhook, {
  faults: (deps, input) => [...webhookFaults(deps, input), ...replayFaults(input)],
  async run(deps, { account }, { id, ...change }) {
    if (CHANGEABLE.every((name) => change[name] === undefined)) throw nothingToChange(CHANGEABLE);
    const { webhook, replay } = await changeWebhook(deps, { accountId: account.id, id, change });
    return { ...(await viewWebhook(deps, webhook)), ...(replay && { replay_id: replay.id }) };
  },
});

/** A webhook that is enabled gets what it missed. */
function replayFaults({ replay, enabled }: Record<string, unknown>): Fault[] {
  if (replay !== true || enabled === true) return [];
  return [invalidField('replay', message('field.replay_needs_enabled'))];
}

/** DELETE /webhooks/{id} */
export const deleteWebhook = operation(contract.deleteWebhook, {
  async run(deps, { account }, { id }) {
    await remove(deps, { accountId: account.id, id });
    return { id };
  },
});

/** POST /webhooks/{id}/rotate-secret */
export const rotateWebhookSecret = operation(contract.rotateWebhookSecret, {
  async run(deps, { account }, { id }) {
    return viewRegistered(await rotate(deps, { accountId: account.id, id }));
  },
});

/** POST /webhooks/{id}/check */
export const checkWebhook = operation(contract.checkWebhook, {
  async run(deps, { account }, { id }) {
    return check(deps, { account, id });
  },
});

/** POST /webhooks/test */
export const testWebhook = operation(contract.testWebhook, {
  async run(deps, { account }, { id, kind, event, dry_run: isDryRun }) {
    const push = { account, id, kind: kind ?? 'valid', event: event ?? 'ping' } as const;
    if (isDryRun) return viewPreview(await previewTestPush(deps, push), push);
    if (kind !== undefined || event !== undefined) return viewTest(await sendTestPush(deps, push), push.event);
    const { status, durationMs, error } = await pingWebhook(deps, { account, id });
    return {
      reachable: status !== null,
      http_status: status ?? 0,
      response_ms: durationMs,
      ...(error === null ? {} : { error }),
    };
  },
});

function viewTest({ sent, result, messageId, body }: CheckTrace, event: string) {
  const { name, expected, passed, http_status, response_ms } = result;
  const excerpt = sent.kind === 'answered' ? sent.excerpt : null;
  return {
    reachable: sent.kind === 'answered',
    http_status,
    response_ms,
    ...(sent.kind === 'answered' ? {} : { error: sent.reason }),
    push: { kind: name, event, message_id: messageId, body, expected, passed, response_excerpt: excerpt || null },
  };
}

function viewPreview(
  { url, messageId, headers, body, signedString }: Awaited<ReturnType<typeof previewTestPush>>,
  { kind, event }: { kind: CheckName; event: string },
) {
  const push = { kind, event, message_id: messageId, body, expected: expectedOf(kind) };
  return { dry_run: true as const, push: { ...push, url, headers, signed_string: signedString } };
}

type View = Localized<Infer<typeof contract.webhook>>;
type ViewContext = Pick<ApiDeps, 'db' | 'secretCipher' | 'now'>;

/** A webhook with its secret, which is shown only here (spec section 4.1). */
export function viewRegistered({ webhook: { id, url, events, enabled, createdAt }, secret }: WebhookWithSecret) {
  return {
    url,
    events,
    enabled,
    secret,
    created_at: toNaiveUtc(createdAt),
    signature_header: SIGNATURE_HEADER_TEXT,
    id,
  };
}

/** Webhooks of an account with what is pending for them, and how their newest attempts went. */
async function viewWebhooks(deps: ViewContext, webhooks: readonly Webhook[]): Promise<View[]> {
  const { db } = deps;
  const now = deps.now();
  const [accountId, webhookIds] = [webhooks[0]?.accountId, webhooks.map(({ id }) => id)];
  if (accountId === undefined) return [];
  const starts = lastHours(ENDPOINT_HOURS, now);
  const [isMoving, pending, recent, hours] = await Promise.all([
    isBeginningToMonitor(db, accountId),
    // What is being dropped is not pending any more.
    pendingOf(
      db,
      webhooks.filter(({ dropBefore }) => dropBefore === null),
    ),
    recentAttempts(db, { accountId, webhookIds }),
    readEndpointHours(db, { accountId, from: starts[0] ?? now }),
  ]);
  return webhooks.map((webhook) => {
    const { id, notBefore } = webhook;
    const retryAfter = ifAhead(notBefore, now);
    const due = pending.get(id)?.nextAttemptAt ?? null;
    const newest = recent.get(id);
    return {
      id,
      url: webhook.url,
      events: webhook.events,
      enabled: webhook.enabled,
      status: statusOf(webhook),
      supersede: webhook.supersede,
      ...viewOptions(deps, webhook),
      in_progress: [
        ...(isMoving && webhook.enabled ? (['moving_checks'] as const) : []),
        ...(webhook.dropBefore ? (['dropping_pending'] as const) : []),
      ],
      pending: pending.get(id)?.count ?? 0,
      next_attempt_at: instant(due && retryAfter && retryAfter > due ? retryAfter : due),
      recent: {
        attempts: newest?.attempts ?? 0,
        failed: newest?.failed ?? 0,
        median_ms: newest?.medianMs ?? null,
        last_status_code: newest?.lastStatusCode ?? null,
      },
      hours: viewHours(
        starts,
        hours.filter(({ webhookId }) => webhookId === id),
      ),
      failing_since: instant(webhook.failingSince),
      retry_after: instant(retryAfter),
      disabled_reason: readMessage(webhook.disabledReason),
      disabled_at: instant(webhook.disabledAt),
      previous_secret_until: instant(ifAhead(webhook.retiredUntil[0] ?? null, now)),
      created_at: toNaiveUtc(webhook.createdAt),
    };
  });
}

/** An endpoint has these parts only if they were chosen. */
function viewOptions(deps: ViewContext, webhook: Webhook): Pick<View, 'headers' | 'filter' | 'format'> {
  const headers = headersOf(deps, webhook);
  const { filter, format } = webhook;
  return {
    ...(headers && { headers: maskedHeaders(headers) }),
    ...(filter && { filter: filter as NonNullable<View['filter']> }),
    ...(format !== 'v1' && { format }),
  };
}

/** One webhook, without its secret. */
async function viewWebhook(deps: ViewContext, webhook: Webhook): Promise<View> {
  const [view] = await viewWebhooks(deps, [webhook]);
  if (!view) throw new Error('a webhook has no view');
  return view;
}

function viewHours(starts: readonly Date[], counted: readonly EndpointHour[]): View['hours'] {
  const byStart = new Map(counted.map((hour) => [hour.at.getTime(), hour]));
  return starts.map((start) => {
    const { accepted = 0, failed = 0, filteredOut = 0 } = byStart.get(start.getTime()) ?? {};
    return {
      start: toUtcSeconds(start),
      accepted,
      failed,
      ...(filteredOut > 0 && { filtered_out: filteredOut }),
    };
  });
}

function statusOf({ enabled, failingSince }: Webhook): 'healthy' | 'failing' | 'disabled' {
  if (!enabled) return 'disabled';
  return failingSince === null ? 'healthy' : 'failing';
}

function ifAhead(time: Date | null, now: Date): Date | null {
  return time !== null && time > now ? time : null;
}

/** A time as responses show it. */
export function instant(time: Date | null): string | null {
  return time && toUtcSeconds(time);
}
