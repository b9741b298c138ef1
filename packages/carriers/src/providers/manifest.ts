import { HTTP_URL, optionalText, type Setting, text } from '@pts/core/settings/setting';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../http.ts';
import type { ProviderClient, ProviderLimits, Question } from '../provider.ts';
import type { CarrierField } from '../registry.ts';

/** `read`: it can be asked about a number. `batch`: about several in one call. `push`: it sends news by itself. */
export type Capability = 'read' | 'batch' | 'push';

/** Without it the provider is off. */
export type RequiredSetting = Setting<string | undefined> & {
  fallback: undefined;
  isRequired: true;
  /** Where one gets it. */
  obtain: string;
};
export type OptionalSetting = Setting<string> & { fallback: string };
export type ProviderSetting = RequiredSetting | OptionalSetting;

/** A limit: fixed by the provider, or a setting with its default, because it differs between accounts. */
export type Limit = number | (Setting<number> & { fallback: number });

/** What was asked about one number; an answer is checked against it. */
export type Asked = Pick<Question, 'number' | 'carrier'>;

/** All that anybody else knows of a provider: data, and how to connect to it and read its answers. Holds no key. */
export type ProviderManifest = {
  /** Stable lower-case name; it names the queue and is stored with each check. */
  name: string;
  /** For people. */
  title: string;
  /** What it is, in one line for operators. */
  about: string;
  capabilities: readonly Capability[];
  /** The carriers that it serves: our code and theirs. */
  carriers: Readonly<Record<string, string>>;
  /** By our carrier code: what it must be told besides the number to answer at all. */
  requires: Readonly<Record<string, readonly CarrierField[]>>;
  settings: Readonly<Record<string, ProviderSetting>>;
  limits: Readonly<{ [K in keyof ProviderLimits]: Limit }>;
  /** The variables with which the sandbox carrier at this address plays the provider; absent where it cannot. */
  playedBySandbox?(sandboxUrl: string): Readonly<Record<string, string>>;
  /** Reads what one call answered, one answer for each number asked about, in their order. Pure. */
  parse(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[];
  /** Makes the client. Called only where every required setting is there. */
  connect(values: Readonly<Record<string, string>>): ProviderClient;
};

/** The values of settings, by the names that the manifest gives them. */
type ValuesOf<S> = { readonly [K in keyof S]: string };

/** Declares a provider; `connect` gets its settings' values under the names they have in `settings`. */
export function defineProvider<const S extends ProviderManifest['settings']>(
  manifest: Omit<ProviderManifest, 'settings' | 'connect'> & {
    settings: S;
    connect(values: ValuesOf<S>): ProviderClient;
  },
): ProviderManifest {
  return { ...manifest, connect: (values) => manifest.connect(values as ValuesOf<S>) };
}

/** A part of the operator's account with a provider: secret, required, and given only to processes that ask it. */
export function credential(env: string, about: string, obtain: string): RequiredSetting {
  return { ...optionalText(env, about, { secret: true }), isRequired: true, obtain };
}

/** An address of the operator's own that turns a provider on. */
export function requiredAddress(env: string, about: string, obtain: string): RequiredSetting {
  return { ...optionalText(env, about, { schema: HTTP_URL }), isRequired: true, obtain };
}

/** Where a provider's API is. */
export function address(env: string, about: string, fallback: string): OptionalSetting {
  return { ...text(env, about, { schema: HTTP_URL }), fallback };
}

export function isRequired(setting: Setting<unknown>): setting is RequiredSetting {
  return 'isRequired' in setting;
}

/** The settings of a provider and of its limits, in the order in which they are documented. */
export function settingsOf({ settings, limits }: ProviderManifest): Setting<unknown>[] {
  return [...Object.values(settings), ...Object.values(limits).filter((limit) => typeof limit !== 'number')];
}
