import { createHash, createHmac } from 'node:crypto';
import type { PushedAttention } from '../attention.ts';
import type { DeliveryEstimate } from '../estimates.ts';
import { lowestId, timeOfId } from '../id.ts';
import { fill, type Language, TEXTS } from '../languages/texts.ts';
import type { AccountNotice, NoticeKindAndDetails } from '../notices.ts';
import { nextMonthOf, toUtcSeconds } from '../time.ts';
import type { Annotations, StatusReason } from '../tracking/change.ts';
import type { Pieces } from '../tracking/derive.ts';
import { type Include, type OptionalFields, optionalFields, viewEvent } from '../tracking/fields.ts';
import type { Scan, TrackingEvent } from '../tracking/scan.ts';
import { EVENTS, type EventKind, type Status, type SubStatus, type TrackingEventKind } from '../tracking/status.ts';
import { maskedHeaders, type StaticHeaders } from './headers.ts';

/** The agent name of every push (spec section 6.2). */
const USER_AGENT = 'Service-Webhook/1.0';

export type Push = {
  messageId: string;
  event: string;
  /** 1 = first. */
  attempt: number;
  body: string | Uint8Array;
  /** Newest first; after a rotation there are several. */
  secrets: readonly string[];
  sentAt: Date;
  /** `v1` if omitted. */
  format?: PushFormat;
  /** The endpoint's own headers. */
  staticHeaders?: StaticHeaders | null;
};

/** The forms of pushes: this service's, and that of version 4 of the API family. */
export const PUSH_FORMATS = ['v1', 'v4'] as const;
export type PushFormat = (typeof PUSH_FORMATS)[number];

/**
 * The headers of one attempt, signed at the moment of sending: the endpoint's own, the spec's, those of Standard
 * Webhooks 1.0, then those of the API family for an endpoint that wants its form.
 */
export function pushHeaders(push: Push): Record<string, string> {
  const timestamp = Math.floor(push.sentAt.getTime() / 1000);
  return {
    ...push.staticHeaders,
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Webhook-Signature': signatureHeader(push.secrets, timestamp, push.body),
    'X-Webhook-Timestamp': String(timestamp),
    'X-Webhook-Event': push.event,
    'X-Webhook-Attempt': String(push.attempt),
    'X-Webhook-Id': push.messageId,
    'webhook-id': push.messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignatureHeader(push.secrets, push.messageId, timestamp, push.body),
    ...(push.format === 'v4' && { timestamp: String(timestamp), signature: familySignature(push.secrets, timestamp) }),
  };
}

/**
 * The signature of the API family: lowercase hex HMAC-SHA256 over the timestamp alone. It is one signature, so after a
 * rotation it is made with the newest secret.
 */
function familySignature([newest = '']: readonly string[], timestamp: number): string {
  return createHmac('sha256', newest).update(String(timestamp)).digest('hex');
}

/** The text whose HMAC is `X-Webhook-Signature`: timestamp, period, raw body. */
export function signedText(sentAt: Date, body: string): string {
  return `${Math.floor(sentAt.getTime() / 1000)}.${body}`;
}

/** The record of how a push was sent, if it was not as by default. */
export function sentAs({ format, staticHeaders }: Pick<Push, 'format' | 'staticHeaders'>) {
  return {
    ...(format === 'v4' && { format }),
    ...(staticHeaders && { staticHeaders: maskedHeaders(staticHeaders) }),
  };
}

/** The description of the signature header for receivers (spec section 2.2, `signature_header`). */
export const SIGNATURE_HEADER_TEXT =
  'X-Webhook-Signature: t=<unix_seconds>,v1=<lowercase hex HMAC-SHA256 over "<t>.<raw body>" with the secret as key>';

export const SECRET_PREFIX = 'whsec_';

/** A new signing secret: `whsec_` and the base64 of 32 random bytes. */
export function newSecret(random: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(random).toString('base64');
}

/** Lowercase hex HMAC-SHA256 over timestamp, a period and the raw body; key is the whole secret (spec section 6.3). */
export function sign(secret: string, timestamp: number, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

/** The value of X-Webhook-Signature. Newest secret first; after a rotation there are several. */
export function signatureHeader(secrets: readonly string[], timestamp: number, body: string | Uint8Array): string {
  return [`t=${timestamp}`, ...secrets.map((secret) => `v1=${sign(secret, timestamp, body)}`)].join(',');
}

/** The value of `webhook-signature` of Standard Webhooks 1.0: key is the decoded base64 part of the secret. */
export function standardSignatureHeader(
  secrets: readonly string[],
  id: string,
  timestamp: number,
  body: string | Uint8Array,
): string {
  const one = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest('base64');
  return secrets.map((secret) => `v1,${one(secret)}`).join(' ');
}

export type PushedTracking = {
  id: string;
  trackingNumber: string;
  carrier: string;
  status: Status;
  subStatus: SubStatus;
  /** The sequence number of this event within its tracking. */
  seq: number;
  /** Why it needs attention, in the event that says so. */
  attention?: PushedAttention;
  scans: readonly Scan[];
  annotations?: Annotations | undefined;
  /** The optional fields that its account has chosen, and the language of their texts. */
  include?: readonly Include[];
  language?: Language | null;
  /** The merchant's own references, as they were when the event occurred. */
  orderId?: string | null;
  title?: string | null;
  metadata?: Readonly<Record<string, string>> | null;
  /** The address of the buyer's page; absent without one. */
  pageUrl?: string;
  /** The page on the carrier's site; absent if it or the carrier is not known. */
  carrierUrl?: string | undefined;
  /** Whether the tracking belongs to a test account. */
  isTest?: true;
};

/** A tracking event as it is pushed, parsed (spec section 6.2). */
type TrackingPush = {
  event: TrackingEventKind;
  created_at: string;
  test?: true;
  data: {
    id: string;
    tracking_number: string;
    carrier: string;
    status: Status;
    sub_status: SubStatus;
    seq: number;
    attention?: PushedAttention;
    reason?: StatusReason;
    pieces?: Pieces;
    estimated_delivery?: DeliveryEstimate;
    tracking_page_url?: string;
    order_id?: string;
    title?: string;
    metadata?: Readonly<Record<string, string>>;
    events: TrackingEvent[];
  } & OptionalFields;
};

/** The parcel of a push. */
export type PushedData = TrackingPush['data'];

/**
 * The exact body of a tracking event (spec section 6.2), a snapshot of the parcel at the moment of the change, and its
 * id. The merchant's references take no part in the id: changed ones do not make another event.
 */
export function trackingMessage(
  event: TrackingEventKind,
  createdAt: Date,
  tracking: PushedTracking,
): { id: string; body: string; data: PushedData } {
  const facts = factsOf(tracking);
  const references = referencesOf(tracking);
  const events = tracking.scans.map((scan) => viewEvent(scan, tracking.id, tracking.include ?? []));
  const head = unclosed({ event, created_at: toUtcSeconds(createdAt), ...(tracking.isTest && { test: true }) });
  const start = unclosed(facts);
  const end = `,"events":${JSON.stringify(events)}}`;
  const added = references === null ? '' : `,${unclosed(references).slice(1)}`;
  return {
    id: messageId(event, createdAt, start + end),
    body: `${head},"data":${start}${added}${end}}`,
    data: { ...facts, ...references, events },
  };
}

/** The JSON of an object that is not empty, without its last bracket. */
function unclosed(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}

/** The exact body of a tracking event. */
export function trackingBody(event: TrackingEventKind, createdAt: Date, tracking: PushedTracking): string {
  return trackingMessage(event, createdAt, tracking).body;
}

function factsOf(tracking: PushedTracking): Omit<PushedData, 'events'> {
  const { include = [], language = null } = tracking;
  const { reason, pieces, estimate } = tracking.annotations ?? {};
  return {
    id: tracking.id,
    tracking_number: tracking.trackingNumber,
    carrier: tracking.carrier,
    status: tracking.status,
    sub_status: tracking.subStatus,
    seq: tracking.seq,
    ...(tracking.attention && { attention: tracking.attention }),
    ...(reason === undefined ? {} : { reason }),
    ...(pieces === undefined ? {} : { pieces }),
    ...(estimate === undefined ? {} : { estimated_delivery: estimate }),
    ...(tracking.pageUrl === undefined ? {} : { tracking_page_url: tracking.pageUrl }),
    ...optionalFields({ ...tracking.annotations, carrierUrl: tracking.carrierUrl }, include, language),
  };
}

/** The references that are set; null if there are none. */
function referencesOf({
  orderId,
  title,
  metadata,
}: PushedTracking): Pick<PushedData, 'order_id' | 'title' | 'metadata'> | null {
  const hasMetadata = Object.keys(metadata ?? {}).length > 0;
  if (!orderId && !title && !hasMetadata) return null;
  return {
    ...(orderId && { order_id: orderId }),
    ...(title && { title }),
    ...(hasMetadata && metadata && { metadata }),
  };
}

/** Parses the output of `trackingBody`. */
export function readTrackingBody(body: string): TrackingPush {
  return JSON.parse(body);
}

/** A notice as it is listed and pushed. */
export function viewAccountNotice({ since, until, ...facts }: AccountNotice, language: Language) {
  const text = accountNoticeText(facts, language);
  return { ...facts, since: toUtcSeconds(since), ...(until && { until: toUtcSeconds(until) }), text };
}

/** The text of a notice. */
function accountNoticeText(notice: NoticeKindAndDetails & Pick<AccountNotice, 'subject'>, language: Language): string {
  const { notice: texts, ended } = TEXTS[language];
  const { kind, details, subject } = notice;
  const values = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, String(value)]));
  switch (kind) {
    case 'quota_used':
      return fill(details.percent < 100 ? texts.quota_used : texts.quota_exhausted, {
        ...values,
        date: details.resets_at.slice(0, 10),
      });
    case 'key_expiring':
      return fill(texts.key_expiring, { name: details.name ?? details.hint, date: details.expires_at.slice(0, 10) });
    case 'import_ended':
      return fill(texts[kind], { ...values, state: ended[details.state], name: details.file_name ?? subject });
    case 'bulk_action_ended':
      return fill(texts[kind], { ...values, state: ended[details.state] });
    default:
      return fill(texts[kind], values);
  }
}

/** The exact body of a notice, and its id. */
export function accountNoticeMessage(
  createdAt: Date,
  notice: AccountNotice,
  { language, isTest = false }: { language: Language; isTest?: boolean },
): { id: string; body: string } {
  const head = { event: 'account_notice', created_at: toUtcSeconds(createdAt), ...(isTest && { test: true }) };
  const data = { notice: viewAccountNotice(notice, language) };
  return {
    id: messageId('account_notice', createdAt, JSON.stringify(data)),
    body: JSON.stringify({ ...head, data }),
  };
}

/** The exact body of a ping; its `data` names the endpoint that is tested. */
export function pingBody(createdAt: Date, webhookId: string, { isTest = false }: { isTest?: boolean } = {}): string {
  const test = isTest ? { test: true } : {};
  return JSON.stringify({
    event: 'ping',
    created_at: toUtcSeconds(createdAt),
    ...test,
    data: { webhook_id: webhookId },
  });
}

/** A day has 1.3 periods: the first four characters of an id change every 18 hours. Those of a ping's id do, too. */
const PERIOD_SECONDS = 2 ** 16;
const PERIOD_CHARACTERS = 4;
const HASH_CHARACTERS = 20;
/** Ids of attempts follow the database's clock, those of messages the clocks of processes: they differ by less. */
export const CLOCK_SLACK_MS = 3_600_000;

/**
 * The id of a tracking event: it depends on what is pushed (parcel, sequence number, content), not on when, so that an
 * event that is stored a second time under its number is not stored, or pushed, as another one. Ids sort by time in
 * steps of 18 hours: the rows of an index that are in use stay together.
 * @param data the body's `data`, as JSON.
 */
export function messageId(event: string, at: Date, data: string): string {
  return messageIdAt(at) + createHash('sha256').update(`${event}\n${data}`).digest('hex').slice(0, HASH_CHARACTERS);
}

/** The lowest id that a message made at a time can have: its period. As the database's function `history_id_at`. */
export function messageIdAt(at: Date): string {
  return Math.max(0, Math.floor(at.getTime() / 1000 / PERIOD_SECONDS))
    .toString(16)
    .padStart(PERIOD_CHARACTERS, '0');
}

/** An id above those of all messages that were made up to a time: of a day later, which is more than a period. */
export function messageIdAfter(at: Date): string {
  return messageIdAt(new Date(at.getTime() + 24 * 3_600_000));
}

/** The beginning of the period in which a message was made, by its id; null for a text that is not an id. */
export function periodOfMessage(id: string): Date | null {
  const period = Number.parseInt(id.slice(0, PERIOD_CHARACTERS), 16);
  return Number.isNaN(period) ? null : new Date(period * PERIOD_SECONDS * 1000);
}

/** Attempts of a message are not older than it: an id that theirs are not lower than. */
export function lowestAttemptOf(messageId: string): string {
  const madeAt = periodOfMessage(messageId);
  return madeAt === null ? '' : lowestId(new Date(madeAt.getTime() - CLOCK_SLACK_MS));
}

/** A notice of an account that does not exist. */
const sampleAccountNotice = (at: Date): AccountNotice => ({
  id: '0'.repeat(24),
  kind: 'quota_used',
  subject: at.toISOString().slice(0, 7),
  details: { percent: 80, used: 8000, limit: 10_000, resets_at: toUtcSeconds(nextMonthOf(at)) },
  since: at,
  until: null,
});

/** A number that no carrier has. */
const NUMBER = 'TEST0000000000';

/** The body of an event of a parcel that does not exist. It is marked as a test, as those of test accounts are. */
export function sampleBody(event: EventKind, at: Date): string {
  if (event === 'account_notice')
    return accountNoticeMessage(at, sampleAccountNotice(at), { language: 'en', isTest: true }).body;
  const { status, scan, description } = EVENTS[event].sample;
  const time = toUtcSeconds(at);
  return trackingBody(event, at, {
    id: '0'.repeat(24),
    trackingNumber: NUMBER,
    carrier: 'sandbox',
    status,
    subStatus: scan,
    seq: 1,
    ...(event === 'tracking_attention' && {
      attention: { reason: 'no_news', since: time, details: 'There have been no updates for 7 days.' },
    }),
    scans: [{ time, timeRaw: time, zoneSource: 'carrier', location: '', description, status: scan }],
    isTest: true,
  });
}

/** A past push, with the secrets that signed it; null if they are no longer known. */
type PastPush = Omit<Push, 'secrets' | 'body'> & { body: string; secrets: readonly string[] | null };

const SIGNATURES = ['X-Webhook-Signature', 'webhook-signature', 'signature'];

/** The headers of a past push and the string that was signed. A signature that cannot be recomputed is null. */
export function pastPush(push: PastPush): { headers: Record<string, string | null>; signedString: string } {
  const { secrets, body, sentAt } = push;
  const headers: Record<string, string | null> = pushHeaders({ ...push, secrets: secrets ?? [] });
  if (secrets === null) for (const name of SIGNATURES) if (name in headers) headers[name] = null;
  return { headers, signedString: signedText(sentAt, body) };
}

/** Quotes any text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

type Request = { url: string; headers: Readonly<Record<string, string>>; body: string };

/**
 * A curl command that repeats a request exactly: no globbing in the URL, no file in place of a body that starts
 * with @, no byte changed.
 */
export function curlCommand({ url, headers, body }: Request): string {
  const fields = Object.entries(headers).map(([name, value]) => `--header ${shellQuote(`${name}: ${value}`)}`);
  return [`curl --include --globoff --path-as-is ${shellQuote(url)}`, ...fields, `--data-raw ${shellQuote(body)}`].join(
    ' \\\n  ',
  );
}

/** Bodies are compact JSON, in which no text of a carrier has an unescaped quote; their events are the oldest first. */
const MARKS = { created: '"created_at":"', events: '"events":[', scan: '{"time":"' };
/** The reason, or attention, follows the number, where no text of a merchant can stand. */
const CONCLUSION = /"seq":\d+,"(reason":"|attention":\{)/;
/** `2026-01-02T03:04:05Z` */
const TIME_LENGTH = 20;

/**
 * The seconds from the newest scan of an event to the event, without parsing its whole body.
 * @returns null for what no new scan has caused: a ping, a conclusion (`reason`), attention, and the history that a
 *   parcel had when it was registered.
 */
export function scanLagSeconds(body: string, trackingId: string): number | null {
  const events = body.indexOf(MARKS.events);
  const scan = body.lastIndexOf(MARKS.scan);
  if (events < 0 || scan < events || CONCLUSION.test(body.slice(0, events))) return null;
  const scannedAt = timeAt(body, scan + MARKS.scan.length);
  const createdAt = timeAt(body, body.indexOf(MARKS.created) + MARKS.created.length);
  if (!(scannedAt >= timeOfId(trackingId))) return null;
  // Clocks of carriers may be ahead of ours.
  return Math.max(0, createdAt - scannedAt) / 1000;
}

function timeAt(body: string, index: number): number {
  return Date.parse(body.slice(index, index + TIME_LENGTH));
}
