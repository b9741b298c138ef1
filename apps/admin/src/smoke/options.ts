import type { Context, Input } from '../command-line/command.ts';
import { UsageError } from '../command-line/problem.ts';
import { findStandalone, startOne } from '../standalone.ts';
import type { ReceiverOptions } from './push-receiver.ts';

export const SMOKE_OPTIONS = {
  'base-url': { value: 'URL', about: 'URL of the deployment (default: BASE_URL, or the service of npm start)' },
  number: { value: 'N', about: 'tracking number of a real parcel (default: a new one of the sandbox carrier)' },
  timeout: { value: 'SECONDS', about: 'time limit for the whole run (default: 90)' },
  'receiver-host': { value: 'HOST', about: 'address to receive pushes on (default: 127.0.0.1)' },
  'receiver-port': { value: 'PORT', about: 'port to receive pushes on (default: 18999, or a free one)' },
  'receiver-url': { value: 'URL', about: 'URL under which the deployment reaches this receiver, if not host and port' },
  'no-webhook': { about: 'skip the webhook steps' },
} as const;

export type SmokeOptions = {
  baseUrl: string;
  apiKey: string;
  number: string | null;
  timeoutSeconds: number;
  receiver: ReceiverOptions | null;
};

type Given = Input<[], typeof SMOKE_OPTIONS>;

/**
 * The default port of the receiver. Always the same: an account has few webhooks, and a known URL does not add another
 * one but gets a new secret.
 */
const RECEIVER_PORT = 18_999;

/** @throws UsageError */
export function readSmokeOptions(context: Pick<Context, 'env' | 'root'>, given: Given): SmokeOptions {
  return {
    ...readTarget(context, given),
    number: given.number ?? null,
    timeoutSeconds: readNumber('timeout', given.timeout, 90, { min: 1, max: 86_400 }),
    receiver: given['no-webhook']
      ? null
      : {
          host: given['receiver-host'] ?? '127.0.0.1',
          port: readNumber('receiver-port', given['receiver-port'], RECEIVER_PORT, { min: 0, max: 65_535 }),
          url: given['receiver-url'] === undefined ? null : readUrl('--receiver-url', given['receiver-url']),
        },
  };
}

/** The base URL and the key. The key of the standalone service is sent only to that service. @throws UsageError */
export function readTarget(
  { env, root }: Pick<Context, 'env' | 'root'>,
  given: Pick<Given, 'base-url'>,
): { baseUrl: string; apiKey: string } {
  const option = given['base-url'] ?? (env.BASE_URL?.trim() || undefined);
  const wanted = option === undefined ? undefined : readUrl(given['base-url'] ? '--base-url' : 'BASE_URL', option);
  const key = env.API_KEY?.trim() || undefined;
  const standalone = wanted && key ? null : findStandalone({ env, root });
  const baseUrl = wanted ?? standalone?.baseUrl;
  if (!baseUrl) throw new UsageError(`Set BASE_URL and API_KEY, or ${startOne({ env, root })}`);
  const apiKey = key ?? (standalone?.baseUrl === baseUrl ? standalone.apiKey : undefined);
  if (!apiKey) throw new UsageError(`Set API_KEY in the environment to a key of ${baseUrl}.`);
  // An invalid header value would fail later and less clearly.
  if (!/^[!-~]+$/.test(apiKey)) throw new UsageError('API_KEY contains invalid characters.');
  return { baseUrl, apiKey };
}

/** `name` is the option or variable. */
export function readUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${name} must be an address such as https://example.com, not "${text}".`);
  return text.replace(/\/{1,99}$/, '');
}

export function readNumber(
  option: string,
  text: string | undefined,
  fallback: number,
  { min, max }: { min: number; max: number },
): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`--${option} must be a whole number from ${min} to ${max}, not "${text}".`);
  return value;
}
