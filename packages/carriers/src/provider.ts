import type { CarrierAnswer, FailedAnswer } from '@pts/core/tracking/answer';
import type { Hints } from '@pts/core/tracking/schedule';
import type { CallbackWatch } from '@pts/core/tracking/subscription';
import type { HttpOutcome } from './http/http.ts';
import type { CarrierField } from './registry/registry.ts';

/** One number to query at a provider. */
export type Question = Hints & {
  /** Normalised tracking number. */
  number: string;
  /** Our carrier code, for example `yto`. */
  carrier: string;
};

/** The limits of a provider. The poller and the queue enforce them; the provider's own code does not wait or retry. */
export type ProviderLimits = {
  /** Numbers per call. One `query` job is one call. */
  batchSize: number;
  /** Calls per second, over all processes; below 1 for providers that count by the minute or hour. */
  callsPerSecond: number;
  /** Concurrent calls, per process. */
  concurrency: number;
  /** Minimum seconds between two queries of the same number. */
  floorSeconds: number;
  /** Calls per UTC day; absent if the provider has no such limit. */
  dailyBudget?: number;
};

/** How a provider charges: not at all, for each call, or once for each registered number. */
export type Cost = 'free' | 'per call' | 'per number';

/** The public part of an enabled provider, without keys and I/O. Derived from its manifest. */
export type Provider = {
  /** Stable lower-case name; it names the queue and is stored with each check. */
  name: string;
  limits: ProviderLimits;
  /** Whether it serves this carrier code. */
  serves(carrier: string): boolean;
  /** Its place in the carrier's route, if the operator set one; absent: the order of the providers. */
  rank?(carrier: string): number | undefined;
  /** The fields that it requires besides the number, by carrier; absent: none for any carrier. */
  requires?(carrier: string): readonly CarrierField[];
  /** Present if the provider sends callbacks. */
  callbacks?: ProviderCallbacks;
  /** The language of its texts (BCP 47); absent where it passes on those of the carriers. */
  language?: string;
  /** How it charges; absent: not at all. If several carriers are equally likely, the cheapest is checked first. */
  cost?: Cost;
};

/** The client of a provider, with the account of this installation. */
export type ProviderClient = {
  /**
   * Prepares what a call needs and may wait for, such as a token, before its turn: calls that waited together would
   * leave together, more often than the provider allows. Never throws because of the provider.
   */
  prepare?(signal?: AbortSignal): Promise<void>;
  /**
   * Queries up to `limits.batchSize` numbers in as few calls as the API allows. Once `signal` is aborted, nothing waits
   * for the answer: the call should end.
   * @returns one answer for each question, in their order. Never throws because of the provider: a broken
   *   connection, a 5xx or an unreadable body is a `failed` answer. A throw is a bug.
   */
  ask(questions: readonly Question[], signal?: AbortSignal): Promise<CarrierAnswer[]>;
  /**
   * Asks for callbacks about up to `callbacks.batchSize` numbers, in one call. Repeating it is harmless. Like `ask`, it
   * never throws because of the provider.
   * @param callback null if callbacks cannot reach this installation; then the call only registers the numbers.
   * @returns one outcome for each question, in their order.
   */
  subscribe?(
    questions: readonly Question[],
    callback: CallbackAddress | null,
    signal?: AbortSignal,
  ): Promise<SubscribeOutcome[]>;
  /**
   * Has the provider stop watching up to `callbacks.release.batchSize` numbers, in one call. Repeating it is harmless.
   * Never throws because of the provider.
   * @returns one outcome for each question, in their order.
   */
  release?(questions: readonly ReleaseQuestion[], signal?: AbortSignal): Promise<ReleaseOutcome[]>;
  /**
   * Has the provider watch up to `callbacks.batchSize` numbers again that it has stopped watching, without a new
   * registration. Absent: such numbers are subscribed to again. Otherwise like `subscribe`.
   */
  resume?(questions: readonly ReleaseQuestion[], signal?: AbortSignal): Promise<ResumeOutcome[]>;
};

/** The outcome of a call, or why it was not made: no token. */
type Called = HttpOutcome | FailedAnswer;

/**
 * Queries of an API that takes one number per call.
 * @param call makes the call
 * @param parse reads its answer, also as a list of one
 */
export function askEach(
  call: (question: Question, signal?: AbortSignal) => Promise<Called>,
  parse: (outcome: HttpOutcome, question: Question) => CarrierAnswer | readonly CarrierAnswer[],
): ProviderClient['ask'] {
  return async (questions, signal) => {
    const answers = questions.map(async (question) => {
      const called = await call(question, signal);
      return called.kind === 'failed' ? called : parse(called, question);
    });
    return (await Promise.all(answers)).flat();
  };
}

/**
 * Queries of an API that takes several numbers per call, as `askEach`. A call that was not made is the answer to all.
 */
export function askTogether(
  call: (questions: readonly Question[], signal?: AbortSignal) => Promise<Called>,
  parse: (outcome: HttpOutcome, questions: readonly Question[]) => CarrierAnswer[],
): ProviderClient['ask'] {
  return async (questions, signal) => {
    const called = await call(questions, signal);
    return called.kind === 'failed' ? questions.map(() => called) : parse(called, questions);
  };
}

/** A provider and its client, for processes that have its keys; `server` names the host of its API as traces do. */
export type ConnectedProvider = Provider & ProviderClient & { server?: ProviderServer };

export type ProviderServer = { 'server.address': string; 'server.port': number };

/** When a parcel is subscribed to: once its carrier has answered with a history, or before it can be read at all. */
type SubscribeWhen = 'when-found' | 'before-reading';

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
  isThin?: true;
  /** How unwatched numbers are released; absent: the provider has no call for it. */
  release?: ReleaseTerms;
};

/** When an unwatched number is released, so that no registration is paid for twice. */
export type ReleaseTerms = {
  /** Numbers per call of `release`. */
  batchSize: number;
  /** Seconds that a number stays registered after it was last watched: it may come back. */
  holdSeconds: number;
  /**
   * How often a released number can be resumed without a charge; 0: it is registered again. No number is released more
   * often.
   */
  restarts: number;
};

/** A number of a subscription, with the provider's own id of it if there is one. */
export type ReleaseQuestion = { number: string; carrier: string; remoteId: string | null };

/** The outcome of a release: the provider has stopped watching the number, does not have it, or the call failed. */
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
  isThin?: true;
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
 * The callbacks of an aggregator: it answers only about numbers that are registered with it, and charges for each, so a
 * number is registered before it is read and not again within a day. It queries the carrier within the hour.
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
