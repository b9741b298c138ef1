import { setTimeout as delay } from 'node:timers/promises';
import { detect } from '@pts/carriers/detection/detect';
import type { ConnectedProvider, Question } from '@pts/carriers/provider';
import { connectedProviders, providerSettings } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import type { ProviderManifest } from '@pts/carriers/providers/manifest';
import { CommandError, UsageError } from '@pts/client/cli/kit';
import { columns, counted } from '@pts/core/terminal';
import { toUtcSeconds } from '@pts/core/time';
import { boundAnswer, type CarrierAnswer, concernsProvider } from '@pts/core/tracking/answer';
import { normaliseNumber } from '@pts/core/tracking/number';
import { PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import type { Db } from '@pts/db/connection';
import {
  callsOfDay,
  endPause,
  lateMsOf,
  listPauses,
  type ProviderPause,
  pauseByOperator,
  spacingMsOf,
  spendCall,
  takePermits,
  tokenStore,
} from '@pts/db/providers';
import { loadConfig } from '@pts/runtime/settings/config';
import { type Command, table } from '../command.ts';
import { databaseCommand, providersIn } from '../installation.ts';
import { readUntil } from '../values.ts';
import { viewScan } from './trackings.ts';

const providersList = databaseCommand({
  name: 'providers list',
  takes: [],
  options: {},
  about:
    'List the providers that are on in this environment, and every paused provider with the end and reason of its pause.',
  async run({ db, now }, _input, { env }) {
    const pauses = new Map((await listPauses(db)).map((pause) => [pause.provider, pause]));
    const on = providersIn(env).map(({ name }) => name);
    const names = [...on, ...[...pauses.keys()].filter((name) => !on.includes(name))];
    const providers = names.map((name) => viewProvider(name, on.includes(baseOf(name)), pauses.get(name), now()));
    const rows = providers.map(({ provider, state, paused_until, by, reason }) => [
      provider,
      paused_until === null ? state : `${state} until ${paused_until}`,
      by ?? '-',
      reason ?? '-',
    ]);
    return {
      lines: table(['PROVIDER', 'STATE', 'BY', 'REASON'], rows, 'No provider is on here, and none is paused.'),
      json: { providers },
    };
  },
});

/** `kuaidi100:subscribe` is a part of `kuaidi100`. */
function baseOf(name: string): string {
  return name.split(':')[0] ?? name;
}

function viewProvider(provider: string, isOn: boolean, pause: ProviderPause | undefined, now: Date) {
  const isPaused = pause?.pausedUntil != null && pause.pausedUntil > now;
  return {
    provider,
    on: isOn,
    state: isPaused ? 'paused' : pause ? 'failing' : isOn ? 'ok' : 'off',
    paused_until: isPaused && pause.pausedUntil ? toUtcSeconds(pause.pausedUntil) : null,
    by: pause ? (pause.failure === PAUSED_BY_OPERATOR ? 'operator' : 'service') : null,
    failure: pause && pause.failure !== PAUSED_BY_OPERATOR ? pause.failure : null,
    failures: pause?.failures ?? 0,
    reason: pause?.reason ?? null,
  };
}

/** Parcels without news for this long are given up; a pause should end before. */
const MAX_DAYS = 30;
const MAX_REASON_LENGTH = 200;

const providersPause = databaseCommand({
  name: 'providers pause',
  audited: 'after',
  takes: ['name'],
  options: {
    for: { value: 'TIME', about: 'duration of the pause, such as 90m, 6h or 2d' },
    until: { value: 'TIME', about: 'end of the pause, such as 2027-01-31T00:00:00Z' },
    reason: { value: 'TEXT', about: 'the reason, for other operators (default: paused by an operator)' },
  },
  about:
    'Stop all calls to a provider for a while. No probe ends the pause earlier. If it lasts more than five minutes, parcels move to the next provider of their route.',
  async run({ db, now }, { name, for: span, until: end, reason = 'paused by an operator' }, { env }) {
    const at = now();
    const names = breakersOf(name);
    if (reason.length > MAX_REASON_LENGTH)
      throw new UsageError(`--reason must have at most ${MAX_REASON_LENGTH} characters.`);
    const until = readUntil({ for: span, until: end }, { now: at, maxDays: MAX_DAYS });
    const floorSeconds = floorSecondsIn(env, name);
    for (const breaker of names) await pauseByOperator(db, breaker, { until, reason, now: at }, floorSeconds);
    return {
      lines: [
        `${name} is paused until ${toUtcSeconds(until)}. Running calls are finished, and new ones stop within seconds.`,
      ],
      json: { provider: name, paused_until: toUtcSeconds(until), reason },
    };
  },
});

const providersResume = databaseCommand({
  name: 'providers resume',
  audited: 'after',
  takes: ['name'],
  options: {},
  about: 'End the pause of a provider now. Due checks are made at its usual rate.',
  async run({ db, now }, { name }, { env }) {
    const at = now();
    const ended = [];
    const breakers = breakersOf(name);
    const floorSeconds = floorSecondsIn(env, name);
    for (const breaker of breakers) ended.push(await endPause(db, breaker, at, floorSeconds));
    const wasPaused = ended.includes(true);
    return {
      lines: [wasPaused ? `${name} is called again within seconds.` : `${name} was not paused.`],
      json: { provider: name, was_paused: wasPaused },
    };
  },
});

const DAY_MS = 86_400_000;

const providersBudget = databaseCommand({
  name: 'providers budget',
  takes: [],
  options: {},
  about:
    "Show the used and remaining calls of each provider's daily budget (UTC). Calls without a budget are not counted.",
  async run({ db, now }, _input, { env }) {
    const at = now();
    const used = await callsOfDay(db, at);
    const resetsAt = toUtcSeconds(new Date((Math.floor(at.getTime() / DAY_MS) + 1) * DAY_MS));
    const providers = providersIn(env).map(({ name, limits: { dailyBudget = null, callsPerSecond } }) => {
      const calls = dailyBudget === null ? null : (used.get(name) ?? 0);
      const left = dailyBudget === null ? null : Math.max(0, dailyBudget - (calls ?? 0));
      return { provider: name, calls_today: calls, daily_budget: dailyBudget, left, calls_per_second: callsPerSecond };
    });
    const rows = providers.map((each) => [
      each.provider,
      String(each.calls_today ?? '-'),
      String(each.daily_budget ?? 'none'),
      String(each.left ?? '-'),
      String(each.calls_per_second),
    ]);
    return {
      lines:
        rows.length === 0
          ? ['No provider is on here.']
          : [
              ...columns([['PROVIDER', 'CALLS TODAY', 'BUDGET', 'LEFT', 'CALLS PER SECOND'], ...rows]),
              '',
              `Budgets reset at ${resetsAt}.`,
            ],
      json: { providers, resets_at: resetsAt },
    };
  },
});

const providersTry = databaseCommand({
  name: 'providers try',
  audited: 'after',
  personal: ['number', 'phone', 'postal-code'],
  takes: ['name', 'number'],
  options: {
    carrier: { value: 'CODE', about: 'the carrier of the number (default: the most likely one)' },
    phone: { value: 'PHONE', about: 'the phone number, if the carrier needs it' },
    'postal-code': { value: 'CODE', about: 'the postal code, if the carrier needs it' },
  },
  about:
    'Ask a provider about one number with the credentials of this environment. It uses one call of the budget and stores nothing. Fails if the fault is with the provider rather than the number.',
  async run({ db, now }, { name, number: given, carrier, phone, 'postal-code': postalCode }, { env }) {
    breakersOf(name);
    const number = normaliseNumber(given);
    if (number === null) throw new UsageError('NUMBER must have 5 to 50 letters and digits.');
    const provider = connectOne({ db, env }, name);
    if (carrier !== undefined && !provider.serves(carrier)) throw new UsageError(`${name} does not serve ${carrier}.`);
    const question = {
      number,
      carrier: carrier ?? carrierFor(provider, number),
      ...(phone !== undefined && { phone }),
      ...(postalCode !== undefined && { postalCode }),
    };
    const { answer, durationMs } = await tryNumber({ db, env, now }, provider, question);
    const scans = answer.kind === 'found' ? answer.scans.map(viewScan) : [];
    return {
      lines: [
        `${name} (${question.carrier}) responded in ${durationMs} ms: ${answerInWords(answer)}`,
        ...columns(scans.map(({ time, status, location, description }) => [time, status, location, description])),
      ],
      json: {
        provider: name,
        courier_code: question.carrier,
        answer: answer.kind,
        failure: answer.kind === 'failed' ? answer.failure : null,
        message: answer.kind === 'failed' ? answer.message : null,
        duration_ms: durationMs,
        events: scans,
      },
      failed: answer.kind === 'failed' && concernsProvider(answer.failure),
    };
  },
});

function answerInWords(answer: CarrierAnswer): string {
  switch (answer.kind) {
    case 'found':
      return counted(answer.scans.length, 'event');
    case 'not_found':
      return 'number not found';
    case 'failed':
      return `${answer.failure}: ${answer.message}`;
    default:
      return answer satisfies never;
  }
}

/** The minimum seconds between two queries of a number at a provider; null if it is not on in this environment. */
function floorSecondsIn(env: NodeJS.ProcessEnv, name: string): number | null {
  return providersIn(env).find((provider) => provider.name === name)?.limits.floorSeconds ?? null;
}

/** Calls of these kinds are paused apart from checks; their breakers are named `kuaidi100:subscribe`. */
const KINDS = ['subscribe', 'release'] as const;

/**
 * The names of the breakers of a provider: of its checks, and if it sends callbacks, of its subscriptions.
 * @throws UsageError
 */
function breakersOf(name: string): string[] {
  const manifest = manifestOf(name);
  return [name, ...(manifest.callbacks ? KINDS.map((kind) => `${name}:${kind}`) : [])];
}

/** @throws UsageError */
export function manifestOf(name: string): ProviderManifest {
  const manifest = PROVIDERS.find((each) => each.name === name);
  if (manifest) return manifest;
  const names = PROVIDERS.map((each) => each.name).join(', ');
  throw new UsageError(`Unknown provider "${name}". Choose one of ${names}.`);
}

type Deps = { db: Db; env: NodeJS.ProcessEnv; now(): Date };
/** A provider's answer about one number. */
export type Tried = { question: Question; answer: CarrierAnswer; durationMs: number };

const MAX_WAIT_MS = 10_000;
/** Permits that are taken until one can be used in time. */
const MAX_TRIES = 3;

/**
 * A provider with the credentials of an environment, whether or not that has it on.
 * @throws ConfigError that names what it lacks
 */
export function connectOne({ db, env }: Pick<Deps, 'db' | 'env'>, name: string): ConnectedProvider {
  const only = { ...env, PROVIDERS: name, PROVIDER_ROUTES: '' };
  loadConfig(only, [], providerSettings({ connects: true }));
  const [provider] = connectedProviders(only, { tokens: tokenStore(db) });
  if (!provider) throw new UsageError(`Unknown provider "${name}".`);
  return provider;
}

/** The most likely carrier of a number that a provider serves. @throws UsageError */
function carrierFor(provider: Pick<ConnectedProvider, 'name' | 'serves'>, number: string): string {
  const found = detect(number, { sandbox: provider.name === 'sandbox' }).find(({ carrier }) =>
    provider.serves(carrier),
  );
  if (!found)
    throw new UsageError(
      `${provider.name} serves none of the possible carriers of ${number}. Add the carrier with --carrier.`,
    );
  return found.carrier;
}

/**
 * Asks a provider about one number, as a poller does: within its rate and its daily budget, of which it takes one call.
 * Nothing is stored, and a pause neither prevents it nor ends.
 * @throws CommandError if rate or budget allow no call.
 */
export async function tryNumber({ db, now }: Deps, provider: ConnectedProvider, question: Question): Promise<Tried> {
  const { dailyBudget } = provider.limits;
  await provider.prepare?.();
  await waitForPermit(db, provider);
  if (dailyBudget !== undefined && !(await spendCall(db, provider.name, dailyBudget, now())))
    throw new CommandError(
      `The daily budget of ${provider.name} (${dailyBudget} calls) is used up until midnight (UTC).`,
    );
  const startedAt = performance.now();
  const [answer] = await provider.ask([question]);
  if (!answer) throw new Error(`${provider.name} gave no response`);
  return { question, answer: boundAnswer(answer), durationMs: Math.round(performance.now() - startedAt) };
}

/** @throws CommandError if the rate allows no call soon, or the database is too slow to tell in time */
async function waitForPermit(db: Db, { name, limits: { callsPerSecond } }: ConnectedProvider): Promise<void> {
  const wanted = { provider: name, count: 1, spacingMs: spacingMsOf(callsPerSecond), maxWaitMs: MAX_WAIT_MS };
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const startedAt = performance.now();
    const { taken, waitMs } = await takePermits(db, wanted);
    if (!taken)
      throw new CommandError(`The rate limit of ${name} is reached. Try again in ${Math.ceil(waitMs / 1000)} s.`);
    await delay(waitMs);
    // Used too late, it would exceed the rate together with the next ones: it has passed.
    if (performance.now() - startedAt <= waitMs + lateMsOf(callsPerSecond)) return;
  }
  throw new CommandError(`The database is too slow to keep the rate of ${name}. For details, run \`doctor\`.`);
}

/** In the order of the help text. */
export const providers: readonly Command[] = [
  providersList,
  providersPause,
  providersResume,
  providersBudget,
  providersTry,
];
