import { setTimeout as delay } from 'node:timers/promises';
import { detect } from '@pts/carriers/detection/detect';
import type { ConnectedProvider, Question } from '@pts/carriers/provider';
import { connectedProviders, providerSettings } from '@pts/carriers/providers/configured';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { boundAnswer } from '@pts/core/tracking/bounds';
import type { Db } from '@pts/db/connection/client';
import { lateMsOf, spacingMsOf, spendCall, takePermits, tokenStore } from '@pts/db/providers';
import { loadConfig } from '@pts/runtime/settings/config';
import { Problem, UsageError } from '../command-line/problem.ts';

type Deps = { db: Db; env: NodeJS.ProcessEnv; now(): Date };
/** What a provider answered about one number. */
export type Tried = { question: Question; answer: CarrierAnswer; durationMs: number };

const MAX_WAIT_MS = 10_000;
/** Permits that are taken until one can be used in time. */
const MAX_TRIES = 3;

/** A provider with the credentials of an environment, whether or not that has it on. @throws ConfigError that names what it lacks */
export function connectOne({ db, env }: Pick<Deps, 'db' | 'env'>, name: string): ConnectedProvider {
  const only = { ...env, PROVIDERS: name, PROVIDER_ROUTES: '' };
  loadConfig(only, [], providerSettings({ connects: true }));
  const [provider] = connectedProviders(only, { tokens: tokenStore(db) });
  if (!provider) throw new UsageError(`No such provider: "${name}".`);
  return provider;
}

/** The most likely carrier of a number that a provider serves. @throws UsageError */
export function carrierFor(provider: Pick<ConnectedProvider, 'name' | 'serves'>, number: string): string {
  const found = detect(number, { sandbox: provider.name === 'sandbox' }).find(({ carrier }) =>
    provider.serves(carrier),
  );
  if (!found)
    throw new UsageError(`${provider.name} serves no carrier that ${number} looks like: name it with --carrier.`);
  return found.carrier;
}

/**
 * Asks a provider about one number, as a poller does: within its rate and its daily budget, of which it takes one call. Nothing
 * is stored, and a pause neither prevents it nor ends.
 * @throws Problem if rate or budget allow no call.
 */
export async function tryNumber({ db, now }: Deps, provider: ConnectedProvider, question: Question): Promise<Tried> {
  const { dailyBudget } = provider.limits;
  await provider.prepare?.();
  await waitForPermit(db, provider);
  if (dailyBudget !== undefined && !(await spendCall(db, provider.name, dailyBudget, now())))
    throw new Problem(`The daily budget of ${provider.name}, ${dailyBudget} calls, is spent until midnight (UTC).`);
  const startedAt = performance.now();
  const [answer] = await provider.ask([question]);
  if (!answer) throw new Error(`${provider.name} gave no answer`);
  return { question, answer: boundAnswer(answer), durationMs: Math.round(performance.now() - startedAt) };
}

/** @throws Problem if the rate allows no call soon, or the database is too slow to tell in time */
async function waitForPermit(db: Db, { name, limits: { callsPerSecond } }: ConnectedProvider): Promise<void> {
  const wanted = { provider: name, count: 1, spacingMs: spacingMsOf(callsPerSecond), maxWaitMs: MAX_WAIT_MS };
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const startedAt = performance.now();
    const { taken, waitMs } = await takePermits(db, wanted);
    if (!taken) throw new Problem(`${name} may be called again in ${Math.ceil(waitMs / 1000)} s. Try then.`);
    await delay(waitMs);
    // Used too late, it would exceed the rate together with the next ones: it has passed.
    if (performance.now() - startedAt <= waitMs + lateMsOf(callsPerSecond)) return;
  }
  throw new Problem(`The database answers too slowly to keep the rate of ${name}. \`doctor\` says more.`);
}
