import { createHmac } from 'node:crypto';

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
