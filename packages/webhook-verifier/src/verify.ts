import { createHmac, timingSafeEqual } from 'node:crypto';

/** Headers as node:http and Express have them, or anything with the `get` of a `Headers`. Names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined };

export type Verified = {
  ok: true;
  /** From the signed body; from the header only if the body has none. */
  event: string | null;
  /** From 1. Not covered by the signature: use it for logs, not for decisions. */
  attempt: number | null;
  /** The message's id, equal on every attempt, to recognise what came before. The signature does not cover it. */
  messageId: string | null;
  /** When the push was signed, in Unix seconds. */
  timestamp: number;
};

export type Reason =
  | 'missing_headers'
  | 'malformed_signature'
  | 'timestamp_mismatch'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch';

/** `status` is what the receiver should answer: 400 or 401 (spec section 6.3). */
export type Refused = { ok: false; status: 400 | 401; reason: Reason; message: string };

export type VerifyOptions = {
  now?: Date;
  /** Accepted distance between our clock and the push's timestamp, either way. */
  toleranceSeconds?: number;
};

/**
 * Verifies one push (spec section 6.3): that it is recent, and signed with the webhook's secret. Expected failures are
 * values.
 * @param rawBody the bytes as they came; a body that was parsed and written again does not verify.
 * @param secret the whole secret, `whsec_` included; several while secrets are exchanged.
 * @throws TypeError if there is no secret or an empty one, with which anyone could sign; if the body was parsed or not
 *   read; or if `now` or `toleranceSeconds` is `NaN`, with which any time would be recent.
 */
export function verify(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  secret: string | readonly string[],
  { now = new Date(), toleranceSeconds = 300 }: VerifyOptions = {},
): Verified | Refused {
  const secrets = [secret].flat();
  // JavaScript passes an environment variable that is not set as undefined.
  if (secrets.length === 0 || !secrets.every(Boolean)) throw new TypeError('verify needs a non-empty secret');
  if (Number.isNaN(now.getTime() - toleranceSeconds))
    throw new TypeError('verify needs a valid time (now) and number of seconds (toleranceSeconds)');
  const header = readHeader(headers, 'x-webhook-signature');
  const timestamp = readHeader(headers, 'x-webhook-timestamp');
  if (header === null || timestamp === null) return refuse('missing_headers');
  const signature = parseSignature(header);
  if (!signature) return refuse('malformed_signature');
  if (signature.timestamp !== timestamp) return refuse('timestamp_mismatch');
  const drift = Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp));
  if (drift > toleranceSeconds)
    return refuse(
      'timestamp_out_of_tolerance',
      `it is ${drift} s away from our clock, ${toleranceSeconds} s are allowed`,
    );
  if (typeof rawBody !== 'string' && !ArrayBuffer.isView(rawBody))
    throw new TypeError(
      'verify needs the body as it was received, a string or bytes: call it before anything parses it',
    );
  if (!isSigned(signature, rawBody, secrets)) return refuse('signature_mismatch');
  const attempt = readHeader(headers, 'x-webhook-attempt') ?? '';
  return {
    ok: true,
    event: eventOf(rawBody) ?? readHeader(headers, 'x-webhook-event'),
    attempt: /^\d{1,9}$/.test(attempt) ? Number(attempt) : null,
    messageId: readHeader(headers, 'x-webhook-id'),
    timestamp: Number(timestamp),
  };
}

const REFUSALS: Record<Reason, { status: 400 | 401; message: string }> = {
  missing_headers: { status: 400, message: 'X-Webhook-Signature or X-Webhook-Timestamp is missing' },
  malformed_signature: { status: 400, message: 'X-Webhook-Signature is not of the form t=<unix seconds>,v1=<hex>' },
  timestamp_mismatch: { status: 401, message: 'X-Webhook-Timestamp is not the timestamp of X-Webhook-Signature' },
  timestamp_out_of_tolerance: { status: 400, message: 'X-Webhook-Timestamp is too old or too new' },
  signature_mismatch: { status: 401, message: 'the signature is not one of this body with this secret' },
};

function refuse(reason: Reason, detail?: string): Refused {
  const { status, message } = REFUSALS[reason];
  return { ok: false, status, reason, message: detail === undefined ? message : `${message}: ${detail}` };
}

/** The value of a header; several are joined, as HTTP does. Null when there is none. */
function readHeader(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name)?.trim() || null;
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []));
  return values.join(',').trim() || null;
}

type Signature = { timestamp: string; v1: string[] };

/** Reads `t=…,v1=…`. There may be several v1 (a rotation), and future schemes, which are ignored. */
function parseSignature(header: string): Signature | null {
  const parts = header.split(',').map((part) => part.trim());
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((p) => p.slice(name.length + 1));
  const [timestamp, ...others] = valuesOf('t');
  const v1 = valuesOf('v1').filter((value) => /^[0-9a-f]{64}$/.test(value));
  if (timestamp === undefined || others.length > 0 || !/^\d{1,15}$/.test(timestamp) || v1.length === 0) return null;
  return { timestamp, v1 };
}

/**
 * Compares every pair in constant time, so that the duration reveals nothing about the matching secret or signature.
 */
function isSigned({ timestamp, v1 }: Signature, rawBody: string | Uint8Array, secrets: readonly string[]): boolean {
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest(),
  );
  const given = v1.map((hex) => Buffer.from(hex, 'hex'));
  return expected.flatMap((one) => given.map((other) => timingSafeEqual(one, other))).includes(true);
}

function eventOf(rawBody: string | Uint8Array): string | null {
  try {
    const body: unknown = JSON.parse(Buffer.from(rawBody).toString('utf8'));
    return typeof body === 'object' && body !== null && 'event' in body && typeof body.event === 'string'
      ? body.event
      : null;
  } catch {
    return null; // signed, but not by the service as we know it
  }
}
