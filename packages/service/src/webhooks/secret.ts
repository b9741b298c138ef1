import { randomBytes } from 'node:crypto';
import { signingSecrets } from '@pts/core/webhook/endpoint';
import { newSecret } from '@pts/core/webhook/push';
import type { Webhook } from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';

type Context = Pick<ServiceContext, 'secretCipher'>;

/** A new signing secret, in plain text for the response and encrypted for storage. */
export function makeSecret({ secretCipher }: Context): { secret: string; encryptedSecret: string } {
  const secret = newSecret(randomBytes(32));
  return { secret, encryptedSecret: secretCipher.encrypt(secret) };
}

/** The secrets that sign what is sent to an endpoint at a moment, newest first. */
export function secretsOf({ secretCipher }: Context, webhook: Webhook, at: Date): string[] {
  return signingSecrets(webhook, at).map((encrypted) => secretCipher.decrypt(encrypted));
}
