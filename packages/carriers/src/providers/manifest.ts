import type { TokenStore } from '@pts/core/provider';
import { type Environment, optionalText, type Setting, text, textIn } from '@pts/core/settings';
import type { CarrierAnswer, FailedAnswer, NotFound } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../http/http.ts';
import type { CallbackManifest, Cost, ProviderClient, ProviderLimits, Question, ReleaseQuestion } from '../provider.ts';
import { type CarrierField, findCarrier } from '../registry/registry.ts';

/**
 * `read`: supports queries of one number. `batch`: of several in one call. `push`: sends callbacks. `release`: stops
 * watching a number on request.
 */
type Capability = 'read' | 'batch' | 'push' | 'release';

/** Without it, the provider is disabled. */
export type RequiredSetting = Setting<string | undefined> & {
  fallback: undefined;
  isRequired: true;
  /** Where to get it. */
  obtain: string;
} & VerifiesCallbacks;
/** Marks a secret that verifies callbacks: the API gets it as well. */
type VerifiesCallbacks = { verifiesCallbacks?: true };
type OptionalSetting = Setting<string> & { fallback: string };
type ProviderSetting = RequiredSetting | OptionalSetting;

/** The query of one number; the answer is checked against it. */
export type Requested = Pick<Question, 'number' | 'carrier'>;

/** The context that the process passes to the clients of its providers. */
export type ProviderContext = {
  /** For providers with OAuth: the access tokens that all processes share. */
  tokens: TokenStore;
};

/** The public interface of a provider: data, and how to connect to it and parse its answers. Contains no key. */
export type ProviderManifest = {
  /** Stable lower-case name; it names the queue and is stored with each check. */
  name: string;
  /** The display name. */
  title: string;
  /** A one-line description for operators. */
  about: string;
  capabilities: readonly Capability[];
  /** The basis on which it charges; absent: it charges for nothing. */
  cost?: Cost;
  /** The language of its texts (BCP 47), as its client asks for it; absent if it passes on those of the carriers. */
  language?: string;
  /** The carriers that it serves: our code and theirs. */
  carriers: Readonly<Record<string, string>>;
  /** By our carrier code: the fields that it requires besides the number. Default: none. */
  requires: Readonly<Record<string, readonly CarrierField[]>>;
  /** The URL of its API, unless `PROVIDER_URLS` has another one; absent if a required setting has it. */
  apiUrl?: string;
  /** Further URLs of its API, and what they are for, for the guide. */
  otherUrls?: string;
  settings: Readonly<Record<string, ProviderSetting>>;
  /** The limits of a new account, unless `PROVIDER_LIMITS` has others. */
  limits: Readonly<ProviderLimits>;
  /** The largest batch that `PROVIDER_LIMITS` may ask for; absent: that of `limits`. */
  maxBatchSize?: number;
  /** The account with which the sandbox carrier plays the provider, and its limits there; absent if it cannot. */
  playedBySandbox?: { account: Readonly<Record<string, string>>; limits?: Readonly<Record<string, number>> };
  /** Whether `npm start` plays it by default, without `CARRIERS`. */
  isPlayedByDefault?: true;
  /** The form of its answers, for whoever holds one that cannot be parsed. */
  answers: string;
  /** Parses the result of one call into one answer per number, in their order. Pure. */
  parse(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[];
  /** How its callbacks are subscribed to, verified and read; absent if it sends none. Its client has `subscribe`. */
  callbacks?: CallbackManifest;
  /**
   * Creates the client from the settings and `baseUrl`. Called only if every required setting is present.
   * @throws TypeError if `baseUrl` is not a URL.
   */
  connect(values: Readonly<Record<string, string>>, context: ProviderContext): ProviderClient;
};

/** The values of settings, by the names that the manifest gives them. */
type ValuesOf<S> = { readonly [K in keyof S]: string } & { readonly baseUrl: string };

/** Declares a provider; `connect` gets its settings' values under the names they have in `settings`. */
export function defineProvider<const S extends ProviderManifest['settings']>(
  manifest: Omit<ProviderManifest, 'requires' | 'settings' | 'connect'> & {
    requires?: ProviderManifest['requires'];
    settings: S;
    connect(values: ValuesOf<S>, context: ProviderContext): ProviderClient;
  },
): ProviderManifest {
  return { requires: {}, ...manifest, connect: (values, context) => manifest.connect(values as ValuesOf<S>, context) };
}

/** A credential of the operator's provider account: secret, required, and passed only to processes that query it. */
export function credential(env: string, about: string, obtain: string, more: VerifiesCallbacks = {}): RequiredSetting {
  return { ...optionalText(env, about, { secret: true }), isRequired: true, obtain, ...more };
}

/**
 * A secret that verifies callbacks and that polling does not need: the provider is on without it, and its callbacks are
 * refused.
 */
export function callbackSecret(env: string, about: string, obtain: string): OptionalSetting & VerifiesCallbacks {
  return { ...text(env, `${about}; ${obtain}`), fallback: '', secret: true, verifiesCallbacks: true };
}

export function isRequired(setting: Setting<unknown>): setting is RequiredSetting {
  return 'isRequired' in setting;
}

/** Whether an environment has an account at the provider, or a part of one. */
export function hasAccount({ settings }: Pick<ProviderManifest, 'settings'>, env: Environment): boolean {
  return Object.values(settings).some((setting) => isRequired(setting) && textIn(env, setting.env) !== undefined);
}

/** Whether a setting is a secret that verifies callbacks. */
export function verifiesCallbacks(setting: Setting<unknown>): boolean {
  return 'verifiesCallbacks' in setting && setting.verifiesCallbacks === true;
}

/** The settings of a provider, in the order in which they are documented. */
export function settingsOf({ settings }: Pick<ProviderManifest, 'settings'>): Setting<unknown>[] {
  return Object.values(settings);
}

/** The carriers of a provider in both directions: our code, and its name for the carrier. */
type Slugs = {
  /** Ours and theirs. */
  readonly table: Readonly<Record<string, string>>;
  /** Our carrier for one of its names; null if it is not ours. Case does not matter. */
  carrierOf(slug: string): string | null;
};

/**
 * @param rows our code and their name; if several of our carriers share a name, the first one counts.
 * @param aliases further names of theirs, which answers use, and our code.
 */
export function slugs(rows: Readonly<Record<string, string>>, aliases: Readonly<Record<string, string>> = {}): Slugs {
  const named = Object.entries(rows).filter(([, slug]) => slug !== '');
  const carriers = new Map([
    ...named.toReversed().map(([carrier, slug]) => [slug.toLowerCase(), carrier] as const),
    ...Object.entries(aliases).map(([slug, carrier]) => [slug.toLowerCase(), carrier] as const),
  ]);
  return { table: rows, carrierOf: (slug) => carriers.get(slug.toLowerCase()) ?? null };
}

/**
 * The last four digits of a phone: what carriers in China compare. Merchants may give the whole number, which some
 * providers take for a wrong one, and in any form.
 */
export function lastFourOf(phone: string): string {
  return phone.replace(/\D/g, '').slice(-4);
}

/**
 * The proof for a carrier that the parcel is one's own: the last four digits of a phone, if the carrier wants one.
 * Nothing otherwise: aggregators may send messages to a whole number, or refuse it as a key.
 */
export function proofOf({ carrier, phone }: { carrier: string; phone?: string }): string | undefined {
  const isWanted = findCarrier(carrier, { sandbox: false })?.requiredFields.includes('phone');
  return isWanted && phone ? lastFourOf(phone) : undefined;
}

/** The answer about one number: it is done, the provider does not have the number, or the call failed. */
type Read = { kind: 'body' | 'data' } | NotFound | FailedAnswer;
type Call = (remoteId: string, signal: AbortSignal | undefined) => Promise<Read>;

/**
 * Releases numbers by the provider's own ids, one call each. A number without one cannot be released: it is forgotten.
 */
export const releaseById = (call: Call) => callById(call, 'released');

/** Resumes numbers by the provider's own ids, one call each. A number without one is subscribed to again. */
export const resumeById = (call: Call) => callById(call, 'subscribed');

function callById<Done extends string>(call: Call, done: Done) {
  const outcomeOf = async ({ remoteId }: ReleaseQuestion, signal: AbortSignal | undefined) => {
    if (remoteId === null) return { kind: 'unknown' } as const;
    const read = await call(remoteId, signal);
    if (read.kind === 'failed') return read;
    return { kind: read.kind === 'not_found' ? ('unknown' as const) : done };
  };
  return (questions: readonly ReleaseQuestion[], signal?: AbortSignal) =>
    Promise.all(questions.map((question) => outcomeOf(question, signal)));
}
