import type { Request } from 'express';
import type { Question } from '../carrier.ts';
import type { JourneyScan, Says } from '../journeys/journey.ts';
import type { Language } from '../journeys/wording.ts';

/** The response of a wire. `headers` may overwrite the content type. */
export type Reply = { status?: number; headers?: Readonly<Record<string, string>> } & (
  | { json: unknown }
  | { xml: string }
  | { html: string }
);

/** Queries numbers at the carrier behind all wires, in one call. */
export type WireAsk = (questions: readonly Question[], language?: Language) => Promise<Says[]>;

export type WireRoute = {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below the wire's own path; `:name` is a parameter, as in express. */
  path: string;
  /** How the body is read; `text` also for XML. */
  body?: 'json' | 'form' | 'text';
  run(request: Request, ask: WireAsk, registry: Registry): Promise<Reply> | Reply;
};

/** The numbers that are registered with an aggregator. */
export type Registry = {
  /** @returns false if it is already registered. */
  add(number: string, carrier?: string): boolean;
  /** The carrier that a number was registered with, '' without one; null for a number that is not registered. */
  carrierOf(number: string): string | null;
  /** The id of a number's registration. */
  idOf(number: string): string;
  /** The number that is registered with this id, if there is one. */
  numberOf(id: string): string | undefined;
  /** Whether a registered number is watched: only then does its news cause callbacks. */
  isWatched(number: string): boolean;
  /** Stops watching a registered number, or watches it again. @returns false if that changes nothing. */
  setWatched(number: string, isWatched: boolean): boolean;
  /** How often a number has been watched again after a stop. */
  restartsOf(number: string): number;
  /** Deletes a registration. @returns false if there is none. */
  remove(number: string): boolean;
};

/** A number about which an aggregator has news. */
export type RegisteredNumber = { number: string; carrier: string; id: string; scans: readonly JourneyScan[] };

export type CallbackMessage = { headers: Readonly<Record<string, string>>; body: string };

/** The token endpoint of a wire: OAuth 2 client credentials. */
export type OAuthDoor = {
  path: string;
  /** How it expects the credentials: HTTP Basic with a form, the form itself, or a JSON body. */
  style: 'basic' | 'form' | 'json';
  clientId: string;
  clientSecret: string;
  lifeSeconds: number;
  /** The documented answer to wrong credentials. */
  refused: Reply;
  /** The documented answer with a token; by default that of RFC 6749. */
  granted?(token: string, lifeSeconds: number): unknown;
};

/**
 * The API of a provider as the sandbox carrier plays it, under `/<name>`: its paths, its errors, its keys and its limit, from
 * the journeys of the sandbox. Keys are those that `playedBySandbox` of the provider's manifest gives.
 */
export type Wire = {
  /** The name of the provider. */
  name: string;
  /** The documented limit; calls beyond it are answered with `tooMany`. Requests for tokens do not count. */
  limit: { calls: number; seconds: number };
  /** How it issues tokens; then every route requires one as Bearer. */
  oauth?: OAuthDoor;
  /** Whether the key of a request is valid; not for `oauth`. */
  isKnown?(request: Request): boolean;
  /** The documented answer to a wrong key or token. */
  refused: Reply;
  tooMany: Reply;
  routes: readonly WireRoute[];
  /** Seconds for which a registered number has callbacks; then it must be registered again. Absent: no limit. */
  lapseSeconds?: number;
  /** Its callback when a registered number has news; absent if it sends none. */
  callback?(found: RegisteredNumber): CallbackMessage;
};

/** A possible answer of a carrier in trouble under any path, with status 200. */
export const GARBAGE: Reply = { html: '<!doctype html><html><body><h1>Down for maintenance</h1></body></html>' };
