import type { CarrierAnswer, FailedAnswer } from '@pts/core/tracking/answer';
import type { CallbackWatch } from '@pts/core/tracking/subscription';

/** When a parcel is subscribed to: once its carrier has answered with a history, or before it can be read at all. */
export type SubscribeWhen = 'when-found' | 'before-reading';

/** The public part of a provider's callbacks. */
export type ProviderCallbacks = {
  /** The provider's display name. */
  title: string;
  subscribe: SubscribeWhen;
  /** Numbers per call. One `subscribe` job is one call. */
  batchSize: number;
  /** Seconds after subscribing by which the first callback has arrived; then the parcel is checked. */
  firstCallbackSeconds: number;
  /** Seconds that a number must not be subscribed to again after its subscription ended. */
  resubscribeSeconds: number;
  /** Seconds after which a subscription is renewed, before the provider lets it lapse; absent: it does not lapse. */
  renewSeconds?: number;
  /** Its callbacks announce news and contain no history: each has the parcel checked at once. */
  isNoticeOnly?: true;
  /** How unwatched numbers are released; absent: the provider has no call for it. */
  release?: ReleaseTerms;
};

/** When an unwatched number is released, so that no registration is paid for twice. */
export type ReleaseTerms = {
  /** Numbers per call of `release`. */
  batchSize: number;
  /** Seconds that a number stays registered after it was last watched: it may come back. */
  holdSeconds: number;
  /** How often a released number can be resumed without a charge; 0: it is registered again. No number is released more often. */
  restarts: number;
};

/** A number of a subscription, with the provider's own id of it if there is one. */
export type ReleaseQuestion = { number: string; carrier: string; remoteId: string | null };

/** What became of a number to be released: the provider has stopped watching it, does not have it, or the call failed. */
export type ReleaseOutcome = { kind: 'released' } | { kind: 'unknown' } | FailedAnswer;

/** The outcome of a resumption. `unknown`: the provider no longer has it, so it is subscribed to again. */
export type ResumeOutcome = SubscribeOutcome | { kind: 'unknown' };

/** The address that the provider sends callbacks to, and the secret that it signs with if it lets us choose one. */
export type CallbackAddress = { url: string; salt: string };

/**
 * The outcome for one number: subscribed, subscribed before, decided later, never accepted (it is polled
 * instead), or the call failed and is repeated.
 */
export type SubscribeOutcome =
  | { kind: 'subscribed'; remoteId?: string }
  | { kind: 'already'; remoteId?: string }
  | { kind: 'pending' }
  | { kind: 'refused'; message: string }
  | FailedAnswer;

/** A callback as it arrived. Header names are in lower case. */
export type CallbackRequest = { headers: Readonly<Record<string, string | undefined>>; rawBody: string };

/** The keys that verify signatures: the secret that we chose, and the settings that are marked `verifiesCallbacks`. */
export type CallbackKeys = { salt: string; settings: Readonly<Record<string, string>> };

/** The news of one number. */
export type Callback = {
  number: string;
  /** Our codes for the carrier that it may be about, most likely first. */
  carriers: readonly string[];
  /** The history, like the answer to a query. */
  answer: CarrierAnswer;
  /** It only says that there is news, whatever the answer: the parcel is checked. */
  isNotice?: true;
  watch: CallbackWatch;
  /** Why the provider ended or gave up, in its own words. */
  reason?: string;
  /** Our code for the carrier that the provider has corrected the number to. */
  movedTo?: string;
};

/** The response with which a provider regards a callback as received. */
export type CallbackResponse = { status: number; type: string; body: string };

/** How callbacks are read. All of it is pure. */
export type CallbackWire = {
  /** Largest body of a callback, in bytes. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Whether the provider signed it. */
  verify(request: CallbackRequest, keys: CallbackKeys): boolean;
  /** The news in a callback; null if it cannot be read. */
  parse(rawBody: string): Callback[] | null;
  accepted: CallbackResponse;
};

/** The part of a manifest about callbacks. */
export type CallbackManifest = Omit<ProviderCallbacks, 'title'> & CallbackWire;

/**
 * The callbacks of an aggregator: it answers only about numbers that are registered with it, and charges for each, so a number is
 * registered before it is read and not again within a day. It queries the carrier within the hour.
 */
export function aggregatorCallbacks(
  wire: CallbackWire,
  { batchSize = 1, release }: { batchSize?: number; release?: ReleaseTerms } = {},
): CallbackManifest {
  const times = { firstCallbackSeconds: 3600, resubscribeSeconds: 86_400 };
  return { subscribe: 'before-reading', batchSize, ...times, ...(release && { release }), ...wire };
}

/** For providers that charge for registering a number again: most parcels that come back do so within a month. */
export const RELEASED_AFTER_A_MONTH: ReleaseTerms = { batchSize: 1, holdSeconds: 30 * 86_400, restarts: 0 };
