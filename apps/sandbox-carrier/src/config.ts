import { loadConfig } from '@pts/runtime/settings/config';

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the settings; an empty one counts as not set. @throws an Error that lists every fault at once */
export function readConfig(env: Env) {
  const port = Number(env.PORT || 8090);
  const { sandboxSpeed: speed, sandboxStateFile: stateFile } = loadConfig(env, ['sandboxSpeed', 'sandboxStateFile']);
  const limits = env.SANDBOX_RATE_LIMITS || 'true';
  const targets = (env.SANDBOX_CALLBACK_TARGETS || '')
    .split(',')
    .flatMap((entry) => (entry.trim() ? [nameAndUrl(entry.trim())] : []));
  const faults = [
    Number.isInteger(port) && port >= 0 && port <= 65_535 ? null : 'PORT must be a port number',
    limits === 'true' || limits === 'false' ? null : 'SANDBOX_RATE_LIMITS must be true or false',
    targets.every(([name, url]) => name && URL.canParse(url))
      ? null
      : 'SANDBOX_CALLBACK_TARGETS must list a name and an address each, such as 17track=https://api.example/callbacks/17track/…',
  ].filter((fault) => fault !== null);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return {
    host: env.HOST || '127.0.0.1',
    port,
    speed,
    stateFile: stateFile ?? null,
    rateLimits: limits === 'true',
    /** By the name of an aggregator: the address that is set in its account for callbacks. */
    callbackTargets: Object.fromEntries(targets),
    kuaidi100: { customer: 'sandbox-customer', key: 'sandbox-key' },
    logRequests: env.LOG_LEVEL === 'debug',
    logLevel: env.LOG_LEVEL || 'info',
    logFormat: env.LOG_FORMAT || 'json',
  };
}

function nameAndUrl(entry: string): [name: string, url: string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, Math.max(0, at)), entry.slice(at + 1)];
}
