import { randomBytes } from 'node:crypto';
import { findCarrier } from '@pts/carriers/registry/registry';
import { CHECKED_EVENTS } from '@pts/contract/webhooks';
import { type Fault, invalidField, refusal, refusedField, ServiceError } from '@pts/core/errors';
import { type Message, message, storedMessage } from '@pts/core/languages/message';
import { toUtcSeconds } from '@pts/core/time';
import type { EventKind } from '@pts/core/tracking/status';
import { refuseUrl } from '@pts/core/url-policy';
import { MAX_SIGNING, MAX_WEBHOOKS, rotate, signingSecrets } from '@pts/core/webhook/endpoint';
import { normalizedFilter, type PushFilter } from '@pts/core/webhook/filter';
import {
  changedHeaders,
  headerFaults,
  MAX_STATIC_HEADERS,
  type StaticHeaders,
  type StaticHeadersChange,
  shownHeaders,
  withoutValues,
} from '@pts/core/webhook/headers';
import { newSecret, type PushFormat, pushHeaders, sentAs } from '@pts/core/webhook/push';
import {
  type CheckName,
  type CheckPlan,
  type CheckRequest,
  type CheckResult,
  checkRequest,
  expectedOf,
  isAsExpected,
  testBody,
} from '@pts/core/webhook/receiver-check';
import { verdictOf } from '@pts/core/webhook/retry';
import type { Account } from '@pts/db/accounts/accounts';
import { wantMonitored } from '@pts/db/checks/schedule';
import type { Tx } from '@pts/db/connection';
import { type Ping, recordPings } from '@pts/db/deliveries/attempts';
import { countPassing, endReplay, type Replay, startReplay } from '@pts/db/deliveries/send-again';
import { isDuplicate } from '@pts/db/errors';
import { freshId } from '@pts/db/ids';
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  lockAddresses,
  lockWebhook,
  deleteWebhook as remove,
  updateWebhook,
  type Webhook,
  type WebhookFields,
} from '@pts/db/webhooks';
import { type CheckTrace, checkReceiver } from '@pts/egress/check-receiver';
import type { Sent } from '@pts/egress/send';
import type { ServiceContext } from './context.ts';

type Context = Pick<ServiceContext, 'db' | 'secretCipher' | 'urlPolicy' | 'audit' | 'now'>;

/** An endpoint and its new secret, which is returned only here. */
export type WebhookWithSecret = { webhook: Webhook; secret: string };

/** The choices of an account for an endpoint besides its URL, its events and whether it is enabled. */
export type WebhookChoices = {
  supersede?: boolean | undefined;
  /** Null: the events of all parcels. */
  filter?: PushFilter | null | undefined;
  format?: PushFormat | undefined;
};

/**
 * Registers an endpoint, and has the pollers check the account's parcels more often. A URL that is already registered
 * gets a new secret and these events and is enabled again; a replaced secret keeps signing for 24 hours. One that is
 * enabled keeps its failures. Choices that are omitted stay as they are.
 * @param input.headers its static headers from now on.
 * @param input.enabled false: nothing is sent to it until it is enabled.
 * @throws ServiceError `invalid_field`: the address is refused, the account has reached its maximum of webhooks, or too
 *   many secrets of this one sign.
 */
export async function registerWebhook(
  ctx: Context,
  input: WebhookChoices & {
    accountId: string;
    url: string;
    events: readonly EventKind[];
    headers?: StaticHeaders | undefined;
    enabled?: boolean | undefined;
  },
): Promise<WebhookWithSecret> {
  const { accountId, enabled = true } = input;
  const url = admitUrl(ctx, input.url);
  const now = ctx.now();
  const { secret, encryptedSecret } = makeSecret(ctx);
  const chosen = {
    ...chosenFields(input),
    events: [...new Set(input.events)],
    ...(input.headers === undefined ? {} : { encryptedHeaders: sealHeaders(ctx, input.headers) }),
  };
  const store = async (tx: Tx) => {
    await lockAddresses(tx, accountId);
    // Locked too, so that it is neither deleted nor rotated in between.
    const known = await lockWebhook(tx, { accountId, url });
    if (enabled && !known?.enabled) await wantMonitored(tx, accountId);
    if (known) {
      const rotated = rotate(known, encryptedSecret, now);
      if (rotated.kind === 'too_many') throw tooManySecrets('url', rotated.until);
      // An account may register its endpoint at each start: that must not hide that it fails.
      const standing = enabled ? (known.enabled ? {} : ENABLED) : disabling(known, now);
      return updateWebhook(tx, known, { ...chosen, ...standing, ...rotated.secrets });
    }
    if ((await countWebhooks(tx, accountId)) >= MAX_WEBHOOKS)
      throw refusedField('url', message('field.max_webhooks', { max: MAX_WEBHOOKS }));
    const standing = enabled ? {} : { enabled, disabledAt: now };
    return insertWebhook(tx, {
      id: freshId(now),
      accountId,
      url,
      encryptedSecret,
      createdAt: now,
      ...chosen,
      ...standing,
    });
  };
  const webhook = await ctx.db.$transaction(async (tx) => {
    const stored = await store(tx);
    if (stored) await ctx.audit?.(tx, audited(stored));
    return stored;
  });
  if (!webhook) throw new Error('a webhook has gone while it was locked');
  return { webhook, secret };
}

/** An endpoint for the audit log: by its host, because a path or a query may contain a secret. */
function audited({ id, url }: Pick<Webhook, 'id' | 'url'>) {
  return { id, name: new URL(url).host };
}

function chosenFields({ supersede, filter, format }: WebhookChoices): WebhookFields {
  return {
    ...(supersede === undefined ? {} : { supersede }),
    ...(filter === undefined ? {} : { filter: normalizedFilter(filter) }),
    ...(format === undefined ? {} : { format }),
  };
}

/** The fields of an endpoint that its account can change; omitted fields stay. */
export type WebhookChange = WebhookChoices & {
  url?: string | undefined;
  events?: readonly EventKind[] | undefined;
  headers?: StaticHeadersChange | undefined;
  enabled?: boolean | undefined;
  /** Enabling a disabled endpoint also sends what it missed. */
  replay?: boolean | undefined;
};

/**
 * Changes an endpoint atomically. Disabling it has the dispatchers drop its pending deliveries, of which none is sent
 * if it is enabled at once. Enabling a disabled one clears why it was disabled and its failures, as does a new URL, and
 * has the pollers check the account's parcels more often.
 * @returns the endpoint, and the replay of what it missed; null if none was started.
 * @throws ServiceError `not_found`, or `invalid_field` when the address is refused or belongs to another endpoint of
 *   the account, or there would be too many headers.
 */
export async function changeWebhook(
  ctx: Pick<ServiceContext, 'db' | 'secretCipher' | 'urlPolicy' | 'retentionDays' | 'audit' | 'now'>,
  { accountId, id, change }: { accountId: string; id: string; change: WebhookChange },
): Promise<{ webhook: Webhook; replay: Replay | null }> {
  const url = change.url === undefined ? undefined : admitUrl(ctx, change.url);
  const now = ctx.now();
  const changed = await ctx.db
    .$transaction(async (tx) => {
      if (url !== undefined || change.enabled) await lockAddresses(tx, accountId);
      const known = await lockWebhook(tx, { accountId, id });
      if (!known) return null;
      const isEnabling = change.enabled === true && !known.enabled;
      if (isEnabling) await wantMonitored(tx, accountId);
      const webhook = await updateWebhook(tx, known, fieldsOf(ctx, known, { ...change, url }, now));
      if (!webhook) return null;
      const { enabled } = change;
      const fields = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : name));
      await ctx.audit?.(tx, {
        ...audited(webhook),
        fields: fields.join(', '),
        ...(enabled !== undefined && { enabled }),
      });
      // In the same transaction: a repeated call finds it enabled, and starts no second one.
      return {
        webhook,
        replay: isEnabling && change.replay ? await replayMissed(ctx, tx, { known, webhook, now }) : null,
      };
    })
    .catch((error: unknown) => {
      throw isDuplicate(error) ? refusedField('url', message('field.url_taken')) : error;
    });
  if (!changed) throw noSuchWebhook();
  return changed;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Sends what an endpoint missed since it was disabled, and what was pending then and was dropped: deliveries that had
 * failed since its last success, or an hour of others.
 */
async function replayMissed(
  { db, retentionDays }: Pick<ServiceContext, 'db' | 'retentionDays'>,
  tx: Tx,
  { known, webhook, now }: { known: Webhook; webhook: Webhook; now: Date },
): Promise<Replay | null> {
  const { id: webhookId, accountId, events, filter } = webhook;
  const missedFrom = known.disabledAt ?? now;
  const since = Math.min(missedFrom.getTime(), known.failingSince?.getTime() ?? Number.POSITIVE_INFINITY) - HOUR_MS;
  const oldest = now.getTime() - retentionDays * 24 * HOUR_MS;
  // One that was running when it was disabled has ended, or is about to.
  await endReplay(tx, { webhookId, accountId }, now);
  // Until a little later: events that were stored just before it was enabled may have later times.
  const range = { since: new Date(Math.max(since, oldest)), until: new Date(now.getTime() + MINUTE_MS), missedFrom };
  return startReplay(db, { webhookId, accountId, events, filter, ...range, now }, tx);
}

function fieldsOf(
  ctx: Pick<ServiceContext, 'secretCipher'>,
  known: Webhook,
  { url, events, headers, enabled, ...choices }: WebhookChange,
  now: Date,
): WebhookFields {
  return {
    ...chosenFields(choices),
    ...(url === undefined || url === known.url ? {} : { url, ...HEALTHY }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(headers === undefined
      ? {}
      : { encryptedHeaders: sealHeaders(ctx, changedHeaders(headersOf(ctx, known) ?? {}, headers)) }),
    ...(enabled === true ? enabling(known) : {}),
    ...(enabled === false ? disabling(known, now) : {}),
  };
}

/** The static headers of an endpoint; null without any. */
export function headersOf(
  { secretCipher }: Pick<ServiceContext, 'secretCipher'>,
  { encryptedHeaders }: Pick<Webhook, 'encryptedHeaders'>,
): StaticHeaders | null {
  return encryptedHeaders === null ? null : JSON.parse(secretCipher.decrypt(encryptedHeaders));
}

/** Headers as they are stored. @throws ServiceError `invalid_field` if they are too many. */
function sealHeaders({ secretCipher }: Pick<ServiceContext, 'secretCipher'>, headers: StaticHeaders): string | null {
  const count = Object.keys(headers).length;
  if (count > MAX_STATIC_HEADERS)
    throw refusedField('headers', message('field.max_headers', { max: MAX_STATIC_HEADERS }));
  return count === 0 ? null : secretCipher.encrypt(JSON.stringify(headers));
}

/** Changes that disable an endpoint. One that is disabled keeps its time and reason. */
function disabling({ enabled }: Pick<Webhook, 'enabled'>, now: Date): WebhookFields {
  return enabled ? { enabled: false, disabledAt: now, disabledReason: null, dropBefore: now } : {};
}

/**
 * Enables an endpoint, and forgets why it was disabled and its failures then. The pollers then check the account's
 * parcels more often.
 * @param input.replay also sends what a disabled one missed.
 * @throws ServiceError `not_found`.
 */
export async function enableWebhook(
  ctx: Pick<ServiceContext, 'db' | 'retentionDays' | 'now'>,
  { accountId, id, replay }: { accountId: string; id: string; replay: boolean },
): Promise<{ webhook: Webhook; replay: Replay | null }> {
  const now = ctx.now();
  const changed = await ctx.db.$transaction(async (tx) => {
    await lockAddresses(tx, accountId);
    const known = await lockWebhook(tx, { accountId, id });
    if (known && !known.enabled) await wantMonitored(tx, accountId);
    const webhook = known && (await updateWebhook(tx, known, enabling(known)));
    if (!webhook) return null;
    return { webhook, replay: replay && !known.enabled ? await replayMissed(ctx, tx, { known, webhook, now }) : null };
  });
  if (!changed) throw noSuchWebhook();
  return changed;
}

/**
 * Rotates the secret of an endpoint. The new one is returned only here; a replaced secret keeps signing for 24 hours.
 * @throws ServiceError `not_found`, or `invalid_field` when too many secrets sign.
 */
export async function rotateWebhookSecret(
  ctx: Pick<ServiceContext, 'db' | 'secretCipher' | 'audit' | 'now'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<WebhookWithSecret> {
  const now = ctx.now();
  const { secret, encryptedSecret } = makeSecret(ctx);
  const webhook = await ctx.db.$transaction(async (tx) => {
    // Locked, so that concurrent rotations do not lose each other's secret.
    const known = await lockWebhook(tx, { accountId, id });
    if (!known) return null;
    const rotated = rotate(known, encryptedSecret, now);
    if (rotated.kind === 'too_many') throw tooManySecrets('id', rotated.until);
    await ctx.audit?.(tx, audited(known));
    return updateWebhook(tx, known, rotated.secrets);
  });
  if (!webhook) throw noSuchWebhook();
  return { webhook, secret };
}

/** Removes an endpoint; the dispatcher drops its pending deliveries. @throws ServiceError `not_found`. */
export async function deleteWebhook(
  { db, audit }: Pick<ServiceContext, 'db' | 'audit'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<void> {
  await db.$transaction(async (tx) => {
    const url = await remove(tx, accountId, id);
    if (url === null) throw noSuchWebhook();
    await audit?.(tx, audited({ id, url }));
  });
}

/** A new signing secret, in plain text for the response and encrypted for storage. */
function makeSecret({ secretCipher }: Pick<ServiceContext, 'secretCipher'>): {
  secret: string;
  encryptedSecret: string;
} {
  const secret = newSecret(randomBytes(32));
  return { secret, encryptedSecret: secretCipher.encrypt(secret) };
}

/** How everything is sent to an endpoint at a moment: its form, its static headers, and its secrets, newest first. */
function sendingOf({ secretCipher }: Pick<ServiceContext, 'secretCipher'>, webhook: Webhook, at: Date) {
  return {
    secrets: signingSecrets(webhook, at).map((encrypted) => secretCipher.decrypt(encrypted)),
    format: webhook.format,
    staticHeaders: headersOf({ secretCipher }, webhook),
  };
}

/** The health of an endpoint that is enabled or gets a new URL: earlier failures do not count. */
const HEALTHY = { failingSince: null, lastFailedAt: null, notBefore: null };

/** Changes to a disabled endpoint when it is enabled. */
const ENABLED = { ...HEALTHY, enabled: true, disabledReason: null, disabledAt: null };

/**
 * Changes that an owner's wish to enable an endpoint makes. An endpoint that is enabled already may go on at once, but
 * counts as failing for as long as before.
 */
function enabling({ enabled }: Pick<Webhook, 'enabled'>): WebhookFields {
  return enabled ? { notBefore: null } : ENABLED;
}

/**
 * Checks a `url`, if it is a string, against the URL policy; and that all of it is sent, so that no two name the same
 * receiver.
 */
function urlFaults({ urlPolicy }: Pick<ServiceContext, 'urlPolicy'>, { url }: Record<string, unknown>): Fault[] {
  const refused = typeof url === 'string' ? (refuseUrl(url, urlPolicy) ?? refuseFragment(url)) : null;
  if (refused === null) return [];
  return [invalidField('url', refused)];
}

/** Checks what is chosen for an endpoint: its URL, its static headers, and the carriers of its filter. */
export function webhookFaults(
  ctx: Pick<ServiceContext, 'urlPolicy' | 'sandbox'>,
  input: Record<string, unknown>,
): Fault[] {
  const { headers, filter } = input;
  return [
    ...urlFaults(ctx, input),
    ...(isObject(headers) ? headerFaults(headers) : []),
    ...(isObject(filter) ? carrierFaults(ctx, filter.carriers) : []),
  ];
}

function carrierFaults({ sandbox }: Pick<ServiceContext, 'sandbox'>, codes: unknown): Fault[] {
  if (!Array.isArray(codes)) return [];
  return codes.flatMap((code, index): Fault[] => {
    if (typeof code !== 'string' || findCarrier(code, { sandbox })) return [];
    return [invalidField(`filter.carriers.${index}`, message('field.filter_carrier', { code }))];
  });
}

function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function refuseFragment(url: string): Message | null {
  return url.includes('#') ? message('field.url_fragment') : null;
}

/** The normalized URL. @throws ServiceError `invalid_field` with the reason of the refusal. */
function admitUrl(ctx: Pick<ServiceContext, 'urlPolicy'>, url: string): string {
  const faults = urlFaults(ctx, { url });
  if (faults.length > 0) throw refusal(faults);
  return new URL(url).href;
}

/**
 * Checks whether a receiver verifies pushes (spec section 6.3), even if its endpoint is disabled. Each ping is recorded
 * in the delivery log.
 * @throws ServiceError `not_found`.
 */
export async function checkWebhook(
  ctx: Pick<ServiceContext, 'db' | 'secretCipher' | 'send' | 'logger' | 'now'>,
  { account, id }: { account: Pick<Account, 'id' | 'testOf'>; id: string },
): Promise<{ passed: boolean; checks: CheckResult[]; filter?: { recent_events: number; passed: number } }> {
  const accountId = account.id;
  const webhook = await findWebhook(ctx.db, accountId, id);
  if (!webhook) throw noSuchWebhook();
  const startedAt = ctx.now();
  const { passed, checks, traces } = await checkReceiver(ctx, webhook.url, {
    webhookId: webhook.id,
    ...sendingOf(ctx, webhook, startedAt),
    startedAt,
    messageIds: [freshId(startedAt), freshId(startedAt), freshId(startedAt)],
    isTest: account.testOf !== null,
  });
  for (const { messageId, sent } of traces) logNoAnswer(ctx, { accountId, webhookId: webhook.id, messageId }, sent);
  await recordPings(
    ctx.db,
    traces.map((trace) => pingOf(webhook, trace)),
  );
  if (webhook.filter === null) return { passed, checks };
  const { events, filter } = webhook;
  const recent = await countPassing(ctx.db, { accountId, events, filter, limit: CHECKED_EVENTS });
  return { passed, checks, filter: { recent_events: recent.events, passed: recent.passed } };
}

/** The delivery record of one ping of the check. An expected refusal is recorded as such. */
function pingOf(
  { id, accountId, url }: Webhook,
  { messageId, attempt, headers, startedAt, sent, result }: CheckTrace,
): Ping {
  const isSuccess = result.passed && result.expected === '2xx';
  const answer = sent.kind === 'answered' ? message('attempt.answer', { status: sent.status }) : sent.reason;
  const verdict = result.passed ? 'attempt.check_passed' : 'attempt.check_failed';
  const error = message(verdict, { push: message(`push.${result.name}`), answer, expected: result.expected });
  return {
    messageId,
    webhookId: id,
    accountId,
    attempt,
    startedAt,
    trace: { ...sent.trace, url, headers },
    statusCode: result.http_status,
    durationMs: result.response_ms,
    error: isSuccess ? null : storedMessage(error),
    responseExcerpt: excerptOf(sent),
  };
}

type SendContext = Pick<ServiceContext, 'db' | 'secretCipher' | 'send' | 'logger' | 'now'>;
type Wanted = {
  account: Pick<Account, 'id' | 'testOf'>;
  /** Defaults to the account's newest endpoint. */
  id?: string | undefined;
  kind: CheckName;
  event: EventKind | 'ping';
};

/**
 * Sends one push of the merchant's choice to an endpoint, right or wrong on purpose. A duplicate comes after the push
 * that it repeats. The delivery log records each as a ping.
 * @throws ServiceError `not_found`.
 */
export async function sendTestPush(ctx: SendContext, { account, id, kind, event }: Wanted): Promise<CheckTrace> {
  const webhook = await findWebhook(ctx.db, account.id, id);
  if (!webhook) throw noSuchWebhook();
  const plan = planOf(ctx, webhook, { account, event });
  const [messageId] = plan.messageIds;
  const send = async (name: CheckName): Promise<CheckTrace> => {
    const at = ctx.now();
    const request = checkRequest(name, plan, at);
    const sent = withoutValues(
      await ctx.send({ url: webhook.url, headers: request.headers, body: request.body }),
      plan.staticHeaders,
    );
    logNoAnswer(ctx, { accountId: account.id, webhookId: webhook.id, messageId }, sent);
    const status = sent.kind === 'answered' ? sent.status : 0;
    const result: CheckResult = {
      name,
      expected: expectedOf(name),
      http_status: status,
      response_ms: sent.durationMs,
      passed: isAsExpected(name, status),
      advice: null,
    };
    const trace = { ...request, headers: shownHeaders(request.headers, plan), startedAt: at, sent, result };
    await recordPings(ctx.db, [pingOf(webhook, trace)]);
    return trace;
  };
  if (kind === 'duplicate') await send('valid');
  return send(kind);
}

/** The push that `sendTestPush` would send now, and where; nothing is sent. @throws ServiceError `not_found`. */
export async function previewTestPush(
  ctx: Pick<ServiceContext, 'db' | 'secretCipher' | 'now'>,
  { account, id, kind, event }: Wanted,
): Promise<CheckRequest & { url: string }> {
  const webhook = await findWebhook(ctx.db, account.id, id);
  if (!webhook) throw noSuchWebhook();
  const plan = planOf(ctx, webhook, { account, event });
  const request = checkRequest(kind, plan, plan.startedAt);
  return { url: webhook.url, ...request, headers: shownHeaders(request.headers, plan) };
}

/** Every push has the same message. */
function planOf(
  ctx: Pick<ServiceContext, 'secretCipher' | 'now'>,
  webhook: Webhook,
  { account, event }: Pick<Wanted, 'account' | 'event'>,
): CheckPlan {
  const startedAt = ctx.now();
  const messageId = freshId(startedAt);
  return {
    webhookId: webhook.id,
    ...sendingOf(ctx, webhook, startedAt),
    startedAt,
    messageIds: [messageId, messageId, messageId],
    isTest: account.testOf !== null,
    event,
  };
}

/** The result of a ping. */
type Pinged = {
  /** The HTTP status of the response; null if there was none. */
  status: number | null;
  durationMs: number;
  /** Why the ping was not accepted; null if it was. */
  error: Message | null;
};

/**
 * Sends a signed ping to an endpoint, once, and records it in the delivery log. A receiver that cannot be reached is a
 * result.
 * @param input.id defaults to the account's newest endpoint.
 * @throws ServiceError `not_found`.
 */
export async function pingWebhook(
  ctx: Pick<ServiceContext, 'db' | 'secretCipher' | 'send' | 'logger' | 'now'>,
  { account, id }: { account: Pick<Account, 'id' | 'testOf'>; id?: string | undefined },
): Promise<Pinged> {
  const accountId = account.id;
  const webhook = await findWebhook(ctx.db, accountId, id);
  if (!webhook) throw noSuchWebhook();
  const startedAt = ctx.now();
  const messageId = freshId(startedAt);
  const sending = sendingOf(ctx, webhook, startedAt);
  const body = testBody(
    'ping',
    { webhookId: webhook.id, at: startedAt, isTest: account.testOf !== null },
    sending.format,
  );
  const headers = pushHeaders({ messageId, event: 'ping', attempt: 1, body, sentAt: startedAt, ...sending });
  const sent = withoutValues(await ctx.send({ url: webhook.url, headers, body }), sending.staticHeaders);
  logNoAnswer(ctx, { accountId, webhookId: webhook.id, messageId }, sent);
  const { durationMs, trace } = sent;
  const status = sent.kind === 'answered' ? sent.status : null;
  const error = sent.kind === 'answered' ? verdictOf(sent.status, 1, startedAt).error : sent.reason;
  await recordPings(ctx.db, [
    {
      messageId,
      webhookId: webhook.id,
      accountId,
      attempt: 1,
      startedAt,
      statusCode: status ?? 0,
      error: error && storedMessage(error),
      durationMs,
      trace: { ...trace, url: webhook.url, ...sentAs(sending) },
      responseExcerpt: excerptOf(sent),
    },
  ]);
  return { status, durationMs, error };
}

/** Logs why a push got no response, with what the account must not see of it, such as addresses inside the network. */
function logNoAnswer(
  { logger }: Pick<ServiceContext, 'logger'>,
  push: { accountId: string; webhookId: string; messageId: string },
  sent: Sent,
): void {
  if (sent.kind === 'answered') return;
  const { reason, detail, durationMs } = sent;
  logger.info({ ...push, event: 'ping', error: `${reason}`, detail, durationMs }, 'not delivered');
}

/** The response excerpt for the delivery log; null if the body was empty or there was no response. */
function excerptOf(sent: Sent): string | null {
  return sent.kind === 'answered' && sent.excerpt !== '' ? sent.excerpt : null;
}

/** The account has no webhook of this id. */
export function noSuchWebhook(): ServiceError {
  return new ServiceError('not_found', { text: message('no_such_webhook') });
}

/** The webhook that `id` names must be enabled for this. */
export function webhookDisabled(): ServiceError {
  return refusedField('id', message('field.webhook_disabled'));
}

/**
 * No secret ends before its 24 hours, so rotations are limited: endless repeats cannot push out the receiver's secret.
 */
function tooManySecrets(field: string, until: Date): ServiceError {
  return refusedField(field, message('field.max_secrets', { max: MAX_SIGNING, time: toUtcSeconds(until) }));
}
