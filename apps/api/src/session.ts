import { createHash } from 'node:crypto';
import { normalEmail } from '@pts/core/account';
import { ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { clientNetwork } from '@pts/core/networks';
import { toUtcSeconds } from '@pts/core/time';
import type { Person } from '@pts/db/accounts/members';
import { freshId } from '@pts/db/ids';
import type { Logger } from '@pts/runtime/logger';
import type { ServiceContext } from '@pts/service/context';
import { endSession, findMemberships, type NoAccount, startSession } from '@pts/service/members';
import { type CookieOptions, type Request, type RequestHandler, type Response, Router } from 'express';
import * as oidc from 'openid-client';
import { V1 } from './http/answers.ts';
import type { Authenticator } from './http/authenticate.ts';
import type { ReadJson } from './http/body.ts';
import type { Limiter } from './http/limits/limits.ts';
import { isObject } from './http/validate.ts';

/** The operator's identity provider, and this installation's account there. */
export type OidcSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** For the button: "Continue with …". */
  name: string;
  /** The installation's own address. */
  baseUrl: string;
};

/** The values that a browser must bring back for an answer of the provider to count. */
type Check = { state: string; nonce: string; verifier: string };

/** Why a sign-in has not succeeded; the console says it in words. */
type Problem = NoAccount | 'expired' | 'denied' | 'failed' | 'unavailable';

/** Seconds for an answer of the provider. */
const PROVIDER_SECONDS = 5;

/** OpenID Connect: the authorization code flow with PKCE, a state and a nonce. */
function createIdentityProvider(settings: OidcSettings) {
  const { issuer, clientId, clientSecret, name, baseUrl } = settings;
  const callback = `${baseUrl}/session/oidc/callback`;
  const authenticate: oidc.ClientAuth = (server, ...request) => {
    const inBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post');
    (inBody ? oidc.ClientSecretPost(clientSecret) : oidc.ClientSecretBasic(clientSecret))(server, ...request);
  };
  let known: Promise<oidc.Configuration> | undefined;
  // Read at the first sign-in: the API starts without the provider, and an outage is not kept.
  const discovered = () => {
    known ??= oidc.discovery(new URL(issuer), clientId, undefined, authenticate, {
      timeout: PROVIDER_SECONDS,
      execute: issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
    });
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
  return {
    name,
    /** @throws if the provider does not answer. */
    async begin() {
      const config = await discovered();
      const check = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: 'openid email profile',
        code_challenge: await oidc.calculatePKCECodeChallenge(check.verifier),
        code_challenge_method: 'S256',
        state: check.state,
        nonce: check.nonce,
      });
      return { url, check };
    },
    /** @param search the query of the callback. @returns why it is refused, or who the person is. */
    async finish(
      search: string,
      { state, nonce, verifier }: Check,
    ): Promise<Person | { problem: Problem; reason: string }> {
      try {
        const config = await discovered();
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        };
        const tokens = await oidc.authorizationCodeGrant(config, new URL(`${callback}${search}`), checks);
        const claims = tokens.claims();
        if (!claims) return { problem: 'failed', reason: 'no id token' };
        // Some providers state the address, or that it is verified, only on request.
        const isStated = claims.email !== undefined && verificationOf(claims) !== undefined;
        const isComplete = isStated || config.serverMetadata().userinfo_endpoint === undefined;
        const more = isComplete ? {} : await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
        return personOf(issuer, { ...more, ...claims });
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

/** A person by the claims of the provider. An address that it has not verified may be anybody's. */
function personOf(issuer: string, claims: Record<string, unknown> & { sub: string }): Person {
  const { sub, email, name } = claims;
  const isVerified = [true, 'true', 1, '1'].includes(verificationOf(claims) as boolean | string | number);
  return {
    subject: createHash('sha256').update(`${issuer}\n${sub}`).digest('base64url'),
    email: isVerified && typeof email === 'string' ? normalEmail(email) : null,
    name: typeof name === 'string' && name.trim() !== '' ? name.trim() : null,
  };
}

/** The claim that an address is verified; Microsoft Entra has its own, for the owner of the address's domain. */
function verificationOf({ email_verified, xms_edov }: Record<string, unknown>): unknown {
  return email_verified ?? xms_edov;
}

function failureOf(error: unknown): { problem: Problem; reason: string } {
  const { code } = error as { code?: string };
  const reason = code ?? (error instanceof Error ? error.name : 'unknown');
  if (error instanceof oidc.AuthorizationResponseError)
    return { problem: error.error === 'access_denied' ? 'denied' : 'failed', reason: error.error };
  const isAway =
    !(error instanceof oidc.ClientError || error instanceof oidc.ResponseBodyError) || code === 'OAUTH_TIMEOUT';
  return { problem: isAway ? 'unavailable' : 'failed', reason };
}

/** The sealed state of a sign-in in the browser: that it has begun, who it turned out to be, or why it failed. */
type Held =
  | { kind: 'begun'; check: Check; to: string }
  | { kind: 'person'; sessionId: string; person: Person }
  | { kind: 'problem'; problem: Problem };

/** For how long each is kept. */
const KEPT_SECONDS = { begun: 600, person: 300, problem: 300 } as const satisfies Record<Held['kind'], number>;

type Deps = Pick<ServiceContext, 'db' | 'secretCipher' | 'now'> & {
  authenticator: Pick<Authenticator, 'identify'>;
  limiter: Pick<Limiter, 'take'>;
  readJson: ReadJson;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Absent: people cannot sign in here. */
  oidc: OidcSettings | undefined;
};

/**
 * The sign-in of people in the console, below /session. What a browser needs between the provider and the console is in
 * a cookie that no script can read; the token of the session is in the body of one answer, in no address and no log.
 */
export function sessionRouter(deps: Deps, gates: readonly RequestHandler[]): Router {
  const router = Router({ caseSensitive: true });
  router.use(...gates, limitNetwork(deps));
  router.delete('/', async (request, response) => {
    await endSession(deps, await deps.authenticator.identify(request));
    response.json(V1.success({}));
  });
  if (deps.oidc === undefined) {
    router.get('/', (_request, response) => {
      response.json(V1.success({ sign_in: null, person: null, problem: null }));
    });
    return router;
  }
  const { baseUrl } = deps.oidc;
  const provider = createIdentityProvider(deps.oidc);
  const cookie = heldCookie(deps, baseUrl);

  // What the sign-in screen offers, and where a sign-in stands.
  router.get('/', async (request, response) => {
    const held = cookie.read(request);
    const problem = held?.kind === 'problem' ? held.problem : null;
    if (problem !== null) cookie.clear(response);
    const found = held?.kind === 'person' ? await findMemberships(deps, held.person) : [];
    const accounts = Array.isArray(found) ? found.map(({ account, role }) => ({ ...account, role })) : [];
    const person = held?.kind === 'person' ? { email: held.person.email, name: held.person.name, accounts } : null;
    response.json(V1.success({ sign_in: { name: provider.name }, person, problem }));
  });

  router.get('/oidc', async (request, response) => {
    const to = consoleAddress(baseUrl, request.query.to);
    try {
      const { url, check } = await provider.begin();
      cookie.set(response, { kind: 'begun', check, to });
      response.redirect(302, url.href);
    } catch (error) {
      deps.logger.warn({ reason: failureOf(error).reason }, 'the identity provider is not responding');
      cookie.set(response, { kind: 'problem', problem: 'unavailable' });
      response.redirect(302, to);
    }
  });

  router.get('/oidc/callback', async (request, response) => {
    const held = cookie.read(request);
    const to = held?.kind === 'begun' ? held.to : consoleAddress(baseUrl, undefined);
    const refuse = (problem: Problem, reason: string = problem) => {
      deps.logger.info({ reason }, 'a sign-in was rejected');
      cookie.set(response, { kind: 'problem', problem });
      response.redirect(302, to);
    };
    if (held?.kind !== 'begun') return refuse('expired');
    const { search } = new URL(request.originalUrl, baseUrl);
    const person = await provider.finish(search, held.check);
    if ('problem' in person) return refuse(person.problem, person.reason);
    const found = await findMemberships(deps, person);
    if (!Array.isArray(found)) return refuse(found);
    cookie.set(response, { kind: 'person', sessionId: freshId(deps.now()), person });
    response.redirect(302, to);
  });

  // The token is given once, to the browser that has signed in.
  router.post('/', async (request, response) => {
    const held = cookie.read(request);
    const body = await deps.readJson(request, response, { maxBytes: 1024, accountId: clientNetwork(request.ip ?? '') });
    const accountId = isObject(body) && typeof body.account_id === 'string' ? body.account_id : '';
    if (held?.kind !== 'person') throw new ServiceError('unauthorized', { text: message('begin_again') });
    const { sessionId: id, person } = held;
    const session = await startSession(deps, { id, accountId, person, ip: request.ip ?? null });
    cookie.clear(response);
    if (!session) throw new ServiceError('unauthorized', { text: message('begin_again') });
    const { token, expiresAt, account, role } = session;
    response.json(V1.success({ token, expires_at: toUtcSeconds(expiresAt), account: { ...account, role } }));
  });
  return router;
}

function limitNetwork({ limiter }: Pick<Deps, 'limiter'>): RequestHandler {
  return async (request, _response, next) => {
    const usage = await limiter.take('session', clientNetwork(request.ip ?? ''));
    if (usage !== null && !usage.allowed) throw new ServiceError('too_many_requests');
    next();
  };
}

/** The view of the console that a person comes back to; its first one instead of an address anywhere else. */
function consoleAddress(baseUrl: string, wanted: unknown): string {
  const start = `${baseUrl}/console/`;
  if (typeof wanted !== 'string' || !URL.canParse(wanted, start)) return start;
  const { href } = new URL(wanted, start);
  return href.startsWith(start) ? href : start;
}

/** The cookie of a sign-in. With the prefix `__Host-`, no other host can set it. */
function heldCookie({ secretCipher, now }: Pick<Deps, 'secretCipher' | 'now'>, baseUrl: string) {
  const secure = baseUrl.startsWith('https:');
  const name = secure ? '__Host-pts-sign-in' : 'pts-sign-in';
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', path: '/', secure };
  return {
    set(response: Response, held: Held): void {
      const seconds = KEPT_SECONDS[held.kind];
      const sealed = secretCipher.encrypt(JSON.stringify({ ...held, until: now().getTime() + seconds * 1000 }));
      response.cookie(name, sealed, { ...options, maxAge: seconds * 1000 });
    },
    clear(response: Response): void {
      response.clearCookie(name, options);
    },
    /** @returns null without one, for one that is older than it may be, or that was not set here. */
    read({ headers: { cookie = '' } }: Request): Held | null {
      const given = cookie.split(';').map((pair) => pair.trim().split('='));
      const [, sealed] = given.find(([each]) => each === name) ?? [];
      if (sealed === undefined) return null;
      try {
        const { until, ...held } = JSON.parse(secretCipher.decrypt(sealed)) as Held & { until: number };
        return until > now().getTime() && held.kind in KEPT_SECONDS ? held : null;
      } catch {
        return null;
      }
    },
  };
}
