import { randomBytes } from 'node:crypto';
import type { Request } from 'express';
import type { OAuthDoor, Reply } from './wire.ts';

/** The tokens that a wire has issued and still accepts. */
export type Doorkeeper = {
  /** The answer to a request for a token. */
  answer(request: Request): Reply;
  /** Whether a request carries a valid token. */
  admits(request: Request): boolean;
};

export function doorkeeper(door: OAuthDoor, nowMs: () => number): Doorkeeper {
  const ends = new Map<string, number>();
  return {
    answer: (request) => {
      if (!areRight(request, door)) return door.refused;
      const token = `sandbox-${randomBytes(24).toString('base64url')}`;
      ends.set(token, nowMs() + door.lifeSeconds * 1000);
      for (const [old, endsAt] of ends) if (endsAt <= nowMs()) ends.delete(old);
      const standard = { access_token: token, token_type: 'Bearer', expires_in: door.lifeSeconds };
      return { json: door.granted?.(token, door.lifeSeconds) ?? standard };
    },
    admits: ({ headers }) => {
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
      return token !== undefined && (ends.get(token) ?? 0) > nowMs();
    },
  };
}

function areRight({ headers, body }: Request, { style, clientId, clientSecret }: OAuthDoor): boolean {
  if (body?.grant_type !== 'client_credentials') return false;
  if (style === 'basic') return headers.authorization === basic(clientId, clientSecret);
  return body.client_id === clientId && body.client_secret === clientSecret;
}

/** The header of HTTP Basic authentication. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
