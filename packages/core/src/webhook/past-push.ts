import { type Push, pushHeaders } from './headers.ts';

/** A push that was made, with the secrets that signed it; null where they are not known any more. */
export type PastPush = Omit<Push, 'secrets' | 'body'> & { body: string; secrets: readonly string[] | null };

const SIGNATURES = ['X-Webhook-Signature', 'webhook-signature'];

/** The headers of a push that was made, and the text that was signed. A signature that cannot be made again is null. */
export function pastPush(push: PastPush): { headers: Record<string, string | null>; signedString: string } {
  const { secrets, body, sentAt } = push;
  const headers: Record<string, string | null> = pushHeaders({ ...push, secrets: secrets ?? [] });
  if (secrets === null) for (const name of SIGNATURES) headers[name] = null;
  return { headers, signedString: `${Math.floor(sentAt.getTime() / 1000)}.${body}` };
}
