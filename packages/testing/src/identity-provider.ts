import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from './http-server.ts';

type Claims = Record<string, unknown>;

export type IdentityProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who signs in next: the claims of the id token, besides those that the protocol needs unless they are given. */
  person: Claims;
  /** Claims of the user info alone. */
  userInfo: Claims;
  /** The error that the provider returns instead of a code. */
  error: string | null;
  /** While true, nothing is answered but a 503. */
  isAway: boolean;
  close(): Promise<void>;
};

const ID = { clientId: 'pts', clientSecret: 'a secret: of/the+client' };

/**
 * An OpenID Connect provider on a free port of 127.0.0.1, where everybody who arrives is signed in as `person` without
 * a question. It checks the client's secret, the redirect URL and the proof key, as real ones do.
 */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, URLSearchParams>();
  const server = await serve(async (request, response) => {
    const url = new URL(request.url ?? '/', server.url);
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (provider.isAway) return json(503, { error: 'temporarily_unavailable' });
    if (url.pathname === '/.well-known/openid-configuration') return json(200, metadata(server.url));
    if (url.pathname === '/jwks')
      return json(200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256', use: 'sig' }] });
    if (url.pathname === '/userinfo') return json(200, { sub: provider.person.sub, ...provider.userInfo });
    if (url.pathname === '/authorize') {
      const code = randomBytes(16).toString('hex');
      codes.set(code, url.searchParams);
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      if (provider.error === null) back.searchParams.set('code', code);
      else back.searchParams.set('error', provider.error);
      return response.writeHead(302, { Location: back.href }).end();
    }
    const form = new URLSearchParams(await text(request));
    const begun = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    if (!isClient(request) || begun === undefined || !isSame(begun, form)) return json(400, { error: 'invalid_grant' });
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: server.url,
      aud: ID.clientId,
      iat: now,
      exp: now + 300,
      nonce: begun.get('nonce'),
      ...provider.person,
    };
    json(200, {
      access_token: randomBytes(16).toString('hex'),
      token_type: 'Bearer',
      id_token: signed(privateKey, claims),
    });
  });
  const provider: IdentityProvider = {
    issuer: server.url,
    ...ID,
    person: {},
    userInfo: {},
    error: null,
    isAway: false,
    close: server.close,
  };
  return provider;
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

function isClient({ headers }: IncomingMessage): boolean {
  const given = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
  const [id, secret] = given.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
  return id === ID.clientId && secret === ID.clientSecret;
}

/** Whether a token is requested by whoever began, for the same address. */
function isSame(begun: URLSearchParams, form: URLSearchParams): boolean {
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  return begun.get('code_challenge') === challenge && begun.get('redirect_uri') === form.get('redirect_uri');
}

function signed(key: KeyObject, claims: Claims): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const unsigned = `${encode({ alg: 'RS256', kid: '1' })}.${encode(claims)}`;
  return `${unsigned}.${sign('sha256', Buffer.from(unsigned), key).toString('base64url')}`;
}
