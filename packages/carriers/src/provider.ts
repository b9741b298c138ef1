import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { CarrierInputs } from '@pts/core/tracking/check';
import type { CarrierField } from './registry.ts';

/** One number to ask a provider about. */
export type Question = CarrierInputs & {
  /** Normalised tracking number. */
  number: string;
  /** Our carrier code, for example `yto`. */
  carrier: string;
};

/** What a provider allows. The poller and the queue keep to it; the provider's own code does not wait or retry. */
export type ProviderLimits = {
  /** Numbers per call. One `query` job is one call. */
  batchSize: number;
  /** Calls per second, over all processes. */
  callsPerSecond: number;
  /** Calls under way at once, per process. */
  concurrency: number;
  /** Least seconds between two questions about the same number. */
  floorSeconds: number;
  /** Calls per UTC day; absent when the provider names none. */
  dailyBudget?: number;
};

/** What every process may know of a provider that is on: no key, no I/O. It is made from the provider's manifest. */
export type Provider = {
  /** Stable lower-case name; it names the queue and is stored with each check. */
  name: string;
  limits: ProviderLimits;
  /** Whether it answers for this carrier code. */
  serves(carrier: string): boolean;
  /** What it must be told besides the number to answer for this carrier at all; absent: nothing, for any. */
  requires?(carrier: string): readonly CarrierField[];
};

/** The calls that a provider takes, with the account of this installation. */
export type ProviderClient = {
  /**
   * Asks about up to `limits.batchSize` numbers in as few calls as the API allows. Once `signal` is aborted nobody waits for
   * the answer any more: the call should end.
   * @returns one answer for each question, in their order. Never throws for what the provider does or says: a broken
   *   connection, a 5xx or an unreadable body is a `failed` answer. A throw is a bug of ours.
   */
  ask(questions: readonly Question[], signal?: AbortSignal): Promise<CarrierAnswer[]>;
};

/** A provider and its client, for processes that have its keys. */
export type ConnectedProvider = Provider & ProviderClient;
