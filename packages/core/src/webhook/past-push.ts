import { type Push, pushHeaders, signedText } from './headers.ts';

/** A past push, with the secrets that signed it; null if they are no longer known. */
export type PastPush = Omit<Push, 'secrets' | 'body'> & { body: string; secrets: readonly string[] | null };

const SIGNATURES = ['X-Webhook-Signature', 'webhook-signature'];

/** The headers of a past push and the string that was signed. A signature that cannot be recomputed is null. */
export function pastPush(push: PastPush): { headers: Record<string, string | null>; signedString: string } {
  const { secrets, body, sentAt } = push;
  const headers: Record<string, string | null> = pushHeaders({ ...push, secrets: secrets ?? [] });
  if (secrets === null) for (const name of SIGNATURES) headers[name] = null;
  return { headers, signedString: signedText(sentAt, body) };
}
