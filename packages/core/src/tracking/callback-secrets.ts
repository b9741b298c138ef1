import { createHmac } from 'node:crypto';

/** The minimum length of the secret from which everything here is derived. */
export const MIN_CALLBACK_SECRET = 32;

/** The last part of the address that a provider sends callbacks to: 43 characters that are safe in a URL. */
export function callbackToken(secret: string, provider: string): string {
  return derive(secret, `token:${provider}`).toString('base64url');
}

/** The secret for the signatures of a provider that lets us choose it: 32 hexadecimal characters. */
export function callbackSalt(secret: string, provider: string): string {
  return derive(secret, `salt:${provider}`).toString('hex').slice(0, 32);
}

function derive(secret: string, purpose: string): Buffer {
  return createHmac('sha256', secret).update(purpose).digest();
}
