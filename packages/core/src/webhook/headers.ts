import { signatureHeader, standardSignatureHeader } from './signature.ts';

/** The agent name of every push (spec section 6.2). */
export const USER_AGENT = 'Service-Webhook/1.0';

export type Push = {
  messageId: string;
  event: string;
  /** 1 = first. */
  attempt: number;
  body: string | Uint8Array;
  /** Newest first; after a rotation there are several. */
  secrets: readonly string[];
  sentAt: Date;
};

/** The headers of one attempt, signed at the moment of sending: the spec's, then those of Standard Webhooks 1.0. */
export function pushHeaders(push: Push): Record<string, string> {
  const timestamp = Math.floor(push.sentAt.getTime() / 1000);
  return {
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
  };
}

/** The text whose HMAC is `X-Webhook-Signature`: timestamp, period, raw body. */
export function signedText(sentAt: Date, body: string): string {
  return `${Math.floor(sentAt.getTime() / 1000)}.${body}`;
}
