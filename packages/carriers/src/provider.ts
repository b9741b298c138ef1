import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { Hints } from '@pts/core/tracking/schedule';
import type {
  CallbackAddress,
  ProviderCallbacks,
  ReleaseOutcome,
  ReleaseQuestion,
  ResumeOutcome,
  SubscribeOutcome,
} from './provider-callbacks.ts';
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

/** What a provider charges for: nothing, each call, or each registered number once. */
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
  /** Of a provider that sends callbacks. */
  callbacks?: ProviderCallbacks;
  /** The language of its texts (BCP 47); absent where it passes on those of the carriers. */
  language?: string;
  /** What it charges for; absent: nothing. If several carriers are equally likely, the cheapest is checked first. */
  cost?: Cost;
};

/** The client of a provider, with the account of this installation. */
export type ProviderClient = {
  /**
   * Prepares what a call needs and may wait for, such as a token, before its turn: calls that waited together would leave
   * together, more often than the provider allows. Never throws because of the provider.
   */
  prepare?(signal?: AbortSignal): Promise<void>;
  /**
   * Queries up to `limits.batchSize` numbers in as few calls as the API allows. Once `signal` is aborted, nothing waits for
   * the answer: the call should end.
   * @returns one answer for each question, in their order. Never throws because of the provider: a broken
   *   connection, a 5xx or an unreadable body is a `failed` answer. A throw is a bug.
   */
  ask(questions: readonly Question[], signal?: AbortSignal): Promise<CarrierAnswer[]>;
  /**
   * Asks for callbacks about up to `callbacks.batchSize` numbers, in one call. Repeating it is harmless. Like `ask`, it never
   * throws because of the provider.
   * @param callback null if callbacks cannot reach this installation; then the call only registers the numbers.
   * @returns one outcome for each question, in their order.
   */
  subscribe?(
    questions: readonly Question[],
    callback: CallbackAddress | null,
    signal?: AbortSignal,
  ): Promise<SubscribeOutcome[]>;
  /**
   * Has the provider stop watching up to `callbacks.release.batchSize` numbers, in one call. Repeating it is harmless. Never
   * throws because of the provider.
   * @returns one outcome for each question, in their order.
   */
  release?(questions: readonly ReleaseQuestion[], signal?: AbortSignal): Promise<ReleaseOutcome[]>;
  /**
   * Has the provider watch up to `callbacks.batchSize` numbers again that it has stopped watching, without a new registration.
   * Absent: such numbers are subscribed to again. Otherwise like `subscribe`.
   */
  resume?(questions: readonly ReleaseQuestion[], signal?: AbortSignal): Promise<ResumeOutcome[]>;
};

/** A provider and its client, for processes that have its keys; `server` names the host of its API as traces do. */
export type ConnectedProvider = Provider & ProviderClient & { server?: ProviderServer };

export type ProviderServer = { 'server.address': string; 'server.port': number };
