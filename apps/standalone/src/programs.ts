import { callbackAddress, mergedOverrides } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { hasAccount } from '@pts/carriers/providers/manifest';
import { SETTINGS } from '@pts/runtime/settings/settings';
import { DEFAULT_NODE_ENV, type Options, playedEnvironment } from './options.ts';
import type { Ports } from './ports.ts';
import type { Program } from './supervisor.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type Setting = {
  options: Options;
  ports: Ports;
  databaseUrl: string;
  encryptionKey: string;
  callbackSecret: string;
  sandboxStateFile: string;
  baseUrl: string;
  sandboxUrl: string;
};

/** The programs and their environments. The user's own variables take precedence. */
export function listPrograms(setting: Setting, user: Env): Program[] {
  const { options, ports, baseUrl, sandboxUrl } = setting;
  const given = givenIn(user);
  const shared = withOwn(defaults(setting, given), given);
  // Only the API listens where PORT and HOST say; the sandbox carrier is ours alone.
  const sandbox = {
    ...{ ...shared, PORT: String(ports.sandbox), HOST: '127.0.0.1' },
    SANDBOX_CALLBACK_TARGETS: callbackTargets(shared).join(','),
  };
  const api = { ...shared, PORT: String(ports.api), HOST: options.host };
  return [
    ...(options.sandboxUrl ? [] : [program('sandbox', 'sandbox-carrier', sandbox, { url: `${sandboxUrl}/healthz` })]),
    program('api', 'api', api, { url: `${baseUrl}/healthz` }),
    program('poller', 'carrier-poller', shared, { says: /\bready\b/ }),
    program('dispatcher', 'webhook-dispatcher', shared, { says: /\bready\b/ }),
  ];
}

/** The settings of the programs, without their stores and the user's keys of providers, for the operator's commands. */
export function listSettings(setting: Setting, user: Env): Env {
  const given = givenIn(user);
  const { DATABASE_URL, ...settings } = defaults(setting, given);
  const all = withOwn(settings, given);
  return Object.fromEntries(Object.keys(settings).map((name) => [name, all[name]]));
}

/** The user's own settings take precedence, and those that list providers are joined. */
function withOwn(settings: Env, given: Env): Env {
  return { ...settings, ...given, ...mergedOverrides(settings, given) };
}

function givenIn(user: Env): Env {
  return Object.fromEntries(Object.entries(user).filter(([, value]) => value !== ''));
}

/** The file is named after the app, so that `ps` shows which process is which. */
function program(name: string, app: string, env: Env, ready: Program['ready']): Program {
  return { name, args: ['--enable-source-maps', `apps/${app}/dist/${app}.mjs`], env, ready };
}

function defaults(setting: Setting, given: Env): Env {
  const { options, databaseUrl, encryptionKey, callbackSecret, sandboxStateFile, baseUrl, sandboxUrl } = setting;
  return {
    NODE_ENV: DEFAULT_NODE_ENV,
    LOG_FORMAT: 'pretty',
    MANAGEMENT_PORT: '0',
    SHUTDOWN_TIMEOUT_SECONDS: '8',
    DATABASE_URL: databaseUrl,
    QUEUE_PREFIX: SETTINGS.queuePrefix.fallback,
    ENCRYPTION_KEY: encryptionKey,
    PUBLIC_BASE_URL: baseUrl,
    COMPAT_V4: 'true',
    CALLBACK_SECRET: callbackSecret,
    ...(playsCallbacks(given) && { CALLBACK_BASE_URL: baseUrl }),
    SANDBOX_STATE_FILE: sandboxStateFile,
    CHECK_INTERVAL_SECONDS: '3',
    IDLE_CHECK_INTERVAL_SECONDS: '3',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_TARGETS: '127.0.0.1/32,::1/128,localhost',
    // Checks every few seconds would soon exceed limits that count by the hour.
    SANDBOX_RATE_LIMITS: 'false',
    ...playedEnvironment(options.providers, sandboxUrl, given),
  };
}

/** Where the aggregators that the sandbox plays send callbacks to: an address that real ones have in their account. */
function callbackTargets({ CALLBACK_BASE_URL: baseUrl, CALLBACK_SECRET: secret }: Env): string[] {
  if (!baseUrl || !secret) return [];
  return PROVIDERS.filter(({ callbacks }) => callbacks !== undefined).map(
    ({ name }) => `${name}=${callbackAddress(name, { baseUrl, secret }).url}`,
  );
}

/** A provider where the user has an account cannot reach an address of this machine. */
function playsCallbacks(given: Env): boolean {
  return PROVIDERS.every((manifest) => !manifest.callbacks || !hasAccount(manifest, given));
}
