import { signingSecretsThen } from '@pts/core/webhook/endpoint';
import { curlCommand, pastPush } from '@pts/core/webhook/push';
import type { AttemptRecord } from '@pts/db/deliveries/log';
import type { SecretCipher } from '@pts/runtime/encryption/keyring';

const STALE = 'Receivers refuse this request once it is more than 300 seconds old. To send it again, redeliver it.';
const NO_WEBHOOK = 'The webhook was deleted, so its URL and secret are no longer known.';
const NO_SECRET = 'The secret was rotated since, so the signature cannot be shown.';
const NO_BODY = 'The message has expired.';
const NO_PING = 'The body of a ping is not stored.';

/** The request of a past attempt as far as it is still known, with notes on what is missing. */
export function pastRequest(
  { attempt, trace, webhook, body }: AttemptRecord,
  secretCipher: Pick<SecretCipher, 'decrypt'>,
) {
  const secrets = webhook && signingSecretsThen(webhook, attempt.startedAt);
  const { messageId, event, startedAt: sentAt } = attempt;
  const { headers: recomputed, signedString } = pastPush({
    messageId,
    event,
    attempt: attempt.attempt,
    sentAt,
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
      ...(webhook === null ? [NO_WEBHOOK] : []),
      ...(webhook !== null && secrets === null && !trace?.headers ? [NO_SECRET] : []),
      ...(body === null ? [event === 'ping' ? NO_PING : NO_BODY] : []),
      ...(isWhole ? [STALE] : []),
    ],
  };
}

function known(headers: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
