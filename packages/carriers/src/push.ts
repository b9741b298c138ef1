import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { PushWatch } from '@pts/core/tracking/push';
import type { Failed } from './providers/failure.ts';

/** When a parcel is subscribed to: once its carrier has answered with a history, or before it can be read at all. */
export type SubscribeWhen = 'when-found' | 'before-reading';

/** What everybody may know about the pushes of a provider. */
export type ProviderPush = {
  /** The provider's name, for people. */
  title: string;
  subscribe: SubscribeWhen;
  /** Numbers per call. One `subscribe` job is one call. */
  batchSize: number;
  /** Seconds after subscribing by which the first push has arrived; then the parcel is checked. */
  firstPushSeconds: number;
  /** Seconds that a number must not be subscribed to again after its subscription ended. */
  resubscribeSeconds: number;
};

/** Where the provider is to push, and the secret that it is to sign with if it lets us choose one. */
export type PushCallback = { url: string; salt: string };

/**
 * What became of one number: it is subscribed to, has been before, will be decided later, is never accepted (it is polled
 * instead), or the call failed and is repeated.
 */
export type SubscribeOutcome =
  | { kind: 'subscribed'; remoteId?: string }
  | { kind: 'already'; remoteId?: string }
  | { kind: 'pending' }
  | { kind: 'refused'; message: string }
  | Failed;

/** A push as it arrived. Header names are in lower case. */
export type PushRequest = { headers: Readonly<Record<string, string | undefined>>; rawBody: string };

/** What signatures are verified with: the secret that we chose, and the settings that are marked `verifiesPushes`. */
export type PushKeys = { salt: string; settings: Readonly<Record<string, string>> };

/** The news of one number. */
export type Push = {
  number: string;
  /** Our codes for the carrier that it may be about, most likely first. */
  carriers: readonly string[];
  /** The whole history, like the answer to a query. */
  answer: CarrierAnswer;
  watch: PushWatch;
  /** Why the provider ended or gave up, in its words. */
  reason?: string;
  /** Our code for the carrier that the provider has corrected the number to. */
  movedTo?: string;
};

/** The response with which a provider regards a push as received. */
export type PushResponse = { status: number; type: string; body: string };

/** How pushes are read. All of it is pure. */
export type PushWire = {
  /** Largest body of a push, in bytes. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Whether the provider signed it. */
  verify(request: PushRequest, keys: PushKeys): boolean;
  /** The news in a push; null if it cannot be read. */
  parse(rawBody: string): Push[] | null;
  accepted: PushResponse;
};

/** The part of a manifest about pushes. */
export type PushManifest = Omit<ProviderPush, 'title'> & PushWire;

/**
 * The pushes of an aggregator: it answers only about numbers that are registered with it, and charges for each, so a number is
 * registered before it is read and not again within a day. It asks the carrier within the hour.
 */
export function aggregatorPush(wire: PushWire, batchSize = 1): PushManifest {
  return { subscribe: 'before-reading', batchSize, firstPushSeconds: 3600, resubscribeSeconds: 86_400, ...wire };
}
