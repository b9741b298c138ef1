import { randomBytes } from 'node:crypto';
import { type Fault, refusal, refusedField, ServiceError } from '@pts/core/errors';
import { toUtcSeconds } from '@pts/core/time';
import type { EventKind } from '@pts/core/tracking/status';
import { refuseUrl } from '@pts/core/url-policy';
import { MAX_SIGNING, MAX_WEBHOOKS, rotate, signingSecrets } from '@pts/core/webhook/endpoint';
import { newSecret, pingBody, pushHeaders } from '@pts/core/webhook/push';
import {
  type CheckName,
  type CheckPlan,
  type CheckRequest,
  type CheckResult,
  checkRequest,
  expectedOf,
  isAsExpected,
} from '@pts/core/webhook/receiver-check';
import { verdictOf } from '@pts/core/webhook/retry';
import type { Account } from '@pts/db/accounts/accounts';
import { wantMonitored } from '@pts/db/checks/schedule';
import { type Ping, recordPings } from '@pts/db/deliveries/attempts';
import { isDuplicate } from '@pts/db/errors';
import { freshId } from '@pts/db/ids';
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  lockAddresses,
  lockWebhook,
  updateWebhook,
  type Webhook,
  type WebhookFields,
} from '@pts/db/webhooks';
import { type CheckTrace, checkReceiver } from '@pts/egress/check-receiver';
import type { Sent } from '@pts/egress/send';
import type { ServiceContext } from './context.ts';

type Context = Pick<ServiceContext, 'db' | 'secretCipher' | 'urlPolicy' | 'now'>;

/** An endpoint and its new secret, which is returned only here. */
export type WebhookWithSecret = { webhook: Webhook; secret: string };

/**
 * Registers an endpoint, and has the pollers check the account's parcels more often. A URL that is already registered
 * gets a new secret and these events and is enabled again; a replaced secret keeps signing for 24 hours. One that is
 * enabled keeps its failures.
 * @param input.supersede defaults to the current value, or false for a new endpoint.
 * @throws ServiceError `invalid_field`: the address is refused, the account has reached its maximum of webhooks, or too
 *   many secrets of this one sign.
 */
export async function registerWebhook(
  ctx: Context,
  input: { accountId: string; url: string; events: readonly EventKind[]; supersede?: boolean | undefined },
): Promise<WebhookWithSecret> {
  const { accountId } = input;
  const url = admitUrl(ctx, input.url);
  const now = ctx.now();
  const { secret, encryptedSecret } = makeSecret(ctx);
  const chosen = {
    events: [...new Set(input.events)],
    ...(input.supersede === undefined ? {} : { supersede: input.supersede }),
  };
  const webhook = await ctx.db.$transaction(async (tx) => {
    await lockAddresses(tx, accountId);
    // Locked too, so that it is neither deleted nor rotated in between.
    const known = await lockWebhook(tx, { accountId, url });
    if (!known?.enabled) await wantMonitored(tx, accountId);
    if (known) {
      const rotated = rotate(known, encryptedSecret, now);
      if (rotated.kind === 'too_many') throw tooManySecrets('url', rotated.until);
      // An account may register its endpoint at each start: that must not hide that it fails.
      return updateWebhook(tx, known, { ...chosen, ...(known.enabled ? {} : ENABLED), ...rotated.secrets });
    }
    if ((await countWebhooks(tx, accountId)) >= MAX_WEBHOOKS) throw tooManyWebhooks();
    return insertWebhook(tx, { id: freshId(now), accountId, url, encryptedSecret, createdAt: now, ...chosen });
  });
  if (!webhook) throw new Error('a webhook has gone while it was locked');
  return { webhook, secret };
}

function tooManyWebhooks() {
  return refusedField('url', `exceeds the limit of ${MAX_WEBHOOKS} webhooks per account; delete one first`);
}

/** The fields of an endpoint that its account can change; omitted fields stay. */
export type WebhookChange = {
  url?: string | undefined;
  events?: readonly EventKind[] | undefined;
  enabled?: boolean | undefined;
  supersede?: boolean | undefined;
};

/**
 * Changes an endpoint atomically. Disabling it has the dispatchers drop its pending deliveries, of which none is sent
 * if it is enabled at once. Enabling a disabled one clears why it was disabled and its failures, as does a new URL, and
 * has the pollers check the account's parcels more often.
 * @throws ServiceError `not_found`, or `invalid_field` when the address is refused or belongs to another endpoint of
 *   the account.
 */
export async function changeWebhook(
  ctx: Pick<ServiceContext, 'db' | 'urlPolicy' | 'now'>,
  { accountId, id, change }: { accountId: string; id: string; change: WebhookChange },
): Promise<Webhook> {
  const url = change.url === undefined ? undefined : admitUrl(ctx, change.url);
  const changed = await ctx.db
    .$transaction(async (tx) => {
      if (url !== undefined || change.enabled) await lockAddresses(tx, accountId);
      const known = await lockWebhook(tx, { accountId, id });
      if (known && change.enabled && !known.enabled) await wantMonitored(tx, accountId);
      return known && updateWebhook(tx, known, fieldsOf(known, { ...change, url }, ctx.now()));
    })
    .catch((error: unknown) => {
      throw isDuplicate(error) ? refusedField('url', 'is already used by another of your webhooks') : error;
    });
  if (!changed) throw noSuchWebhook();
  return changed;
}

function fieldsOf(known: Webhook, { url, events, supersede, enabled }: WebhookChange, now: Date): WebhookFields {
  return {
    ...(url === undefined || url === known.url ? {} : { url, ...HEALTHY }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(supersede === undefined ? {} : { supersede }),
    ...(enabled === true ? enabling(known) : {}),
    // One that is disabled keeps its time and reason.
    ...(enabled === false && known.enabled ? { enabled, disabledAt: now, disabledReason: null, dropBefore: now } : {}),
  };
}

/**
 * Enables an endpoint, and forgets why it was disabled and its failures then. The pollers then check the account's
 * parcels more often.
 * @throws ServiceError `not_found`.
 */
export async function enableWebhook(
  ctx: Pick<ServiceContext, 'db'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<Webhook> {
  const webhook = await ctx.db.$transaction(async (tx) => {
    await lockAddresses(tx, accountId);
    const known = await lockWebhook(tx, { accountId, id });
    if (known && !known.enabled) await wantMonitored(tx, accountId);
    return known && updateWebhook(tx, known, enabling(known));
  });
  if (!webhook) throw noSuchWebhook();
  return webhook;
}

/**
 * Rotates the secret of an endpoint. The new one is returned only here; a replaced secret keeps signing for 24 hours.
 * @throws ServiceError `not_found`, or `invalid_field` when too many secrets sign.
 */
export async function rotateWebhookSecret(
  ctx: Pick<ServiceContext, 'db' | 'secretCipher' | 'now'>,
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
    return updateWebhook(tx, known, rotated.secrets);
  });
  if (!webhook) throw noSuchWebhook();
  return { webhook, secret };
}

/** A new signing secret, in plain text for the response and encrypted for storage. */
function makeSecret({ secretCipher }: Pick<ServiceContext, 'secretCipher'>): {
  secret: string;
  encryptedSecret: string;
} {
  const secret = newSecret(randomBytes(32));
  return { secret, encryptedSecret: secretCipher.encrypt(secret) };
}

/** The secrets that sign what is sent to an endpoint at a moment, newest first. */
function secretsOf({ secretCipher }: Pick<ServiceContext, 'secretCipher'>, webhook: Webhook, at: Date): string[] {
  return signingSecrets(webhook, at).map((encrypted) => secretCipher.decrypt(encrypted));
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
export function urlFaults({ urlPolicy }: Pick<ServiceContext, 'urlPolicy'>, { url }: Record<string, unknown>): Fault[] {
  const refused = typeof url === 'string' ? (refuseUrl(url, urlPolicy) ?? refuseFragment(url)) : null;
  if (refused === null) return [];
  return [{ field: 'url', message: refused.replace(/^url /, ''), error: 'invalid_field' }];
}

function refuseFragment(url: string): string | null {
  return url.includes('#') ? 'must not contain a fragment: the part from # on is never sent' : null;
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
): Promise<{ passed: boolean; checks: CheckResult[] }> {
  const accountId = account.id;
  const webhook = await findWebhook(ctx.db, accountId, id);
  if (!webhook) throw noSuchWebhook();
  const startedAt = ctx.now();
  const { passed, checks, traces } = await checkReceiver(ctx, webhook.url, {
    webhookId: webhook.id,
    secrets: secretsOf(ctx, webhook, startedAt),
    startedAt,
    messageIds: [freshId(startedAt), freshId(startedAt), freshId(startedAt)],
    isTest: account.testOf !== null,
  });
  for (const { messageId, sent } of traces) logNoAnswer(ctx, { accountId, webhookId: webhook.id, messageId }, sent);
  await recordPings(
    ctx.db,
    traces.map((trace) => pingOf(webhook, trace)),
  );
  return { passed, checks };
}

/** The delivery record of one ping of the check. An expected refusal is recorded as such. */
function pingOf(
  { id, accountId, url }: Webhook,
  { messageId, attempt, headers, startedAt, sent, result }: CheckTrace,
): Ping {
  const isSuccess = result.passed && result.expected === '2xx';
  const answered = sent.kind === 'answered' ? `the receiver answered ${sent.status}` : sent.reason;
  const verdict = result.passed ? ', as it should' : `; ${result.expected} was expected`;
  return {
    messageId,
    webhookId: id,
    accountId,
    attempt,
    startedAt,
    trace: { ...sent.trace, url, headers },
    statusCode: result.http_status,
    durationMs: result.response_ms,
    error: isSuccess ? null : `check, ${result.name} push: ${answered}${verdict}`,
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
    const sent = await ctx.send({ url: webhook.url, headers: request.headers, body: request.body });
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
    const trace = { ...request, startedAt: at, sent, result };
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
  return { url: webhook.url, ...checkRequest(kind, plan, plan.startedAt) };
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
    secrets: secretsOf(ctx, webhook, startedAt),
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
  error: string | null;
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
  const body = pingBody(startedAt, webhook.id, { isTest: account.testOf !== null });
  const secrets = secretsOf(ctx, webhook, startedAt);
  const headers = pushHeaders({ messageId, event: 'ping', attempt: 1, body, secrets, sentAt: startedAt });
  const sent = await ctx.send({ url: webhook.url, headers, body });
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
      error,
      durationMs,
      trace: { ...trace, url: webhook.url },
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
  logger.info({ ...push, event: 'ping', error: reason, detail, durationMs }, 'not delivered');
}

/** The response excerpt for the delivery log; null if the body was empty or there was no response. */
function excerptOf(sent: Sent): string | null {
  return sent.kind === 'answered' && sent.excerpt !== '' ? sent.excerpt : null;
}

/** The account has no webhook of this id. */
export function noSuchWebhook(): ServiceError {
  return new ServiceError('not_found', {
    text: 'No such webhook. GET /api/v1/webhooks lists your webhooks; POST /api/v1/webhooks registers one.',
  });
}

/** The webhook that a field names must be enabled for this. */
export function webhookDisabled(field: string): ServiceError {
  return refusedField(
    field,
    'belongs to a disabled webhook; enable it first: PATCH /api/v1/webhooks/{id} with {"enabled": true}',
  );
}

/**
 * No secret ends before its 24 hours, so rotations are limited: endless repeats cannot push out the receiver's secret.
 */
function tooManySecrets(field: string, until: Date): ServiceError {
  return refusedField(
    field,
    `belongs to a webhook with ${MAX_SIGNING} active secrets (a replaced secret keeps signing for 24 hours); rotate again after ${toUtcSeconds(until)}`,
  );
}
