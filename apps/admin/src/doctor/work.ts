import { knownProviders } from '@pts/carriers/providers/configured';
import { CommandError } from '@pts/client/cli/kit';
import { toUtcSeconds } from '@pts/core/time';
import { concernsProvider } from '@pts/core/tracking/answer';
import { PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import { readBacklogs } from '@pts/db/checks/schedule';
import type { Db } from '@pts/db/connection';
import { pendingEndpoints } from '@pts/db/deliveries/pending';
import { readHistoryAges } from '@pts/db/deliveries/retention';
import { failingEndpoints, parcelOf, pausedProviders } from '@pts/db/diagnosis';
import { connectOne, type Tried, tryNumber } from '../commands/providers.ts';
import { advice, type Finding, type Look, ok, problem } from './stores.ts';

type Deps = { db: Db; retentionDays: number; now(): Date };

const LATE_CHECK_SECONDS = 900;
const LATE_DELIVERY_SECONDS = 30;
const FAILING_SECONDS = 3600;
/** The limits of the alert. */
const HISTORY = { aheadSeconds: 86_400, expiredSeconds: 172_800 };
const SHOWN = 5;

/** Reports what the tables say about the work: whether it is done in time, and what holds it up. */
export const looksAtWork = (deps: Deps): Look[] => [
  ['checks', () => lookAtChecks(deps)],
  ['deliveries', async () => [await deliveriesOf(deps)]],
  ['receivers', async () => [await receiversOf(deps)]],
  ['history', async () => [await historyOf(deps)]],
];

async function lookAtChecks(deps: Deps): Promise<Finding[]> {
  const all = await pausedProviders(deps.db, deps.now());
  // An operator pauses the checks of a provider and its subscriptions (`name:subscribe`) together.
  const paused = all.filter(({ provider, failure }) => failure !== PAUSED_BY_OPERATOR || !provider.includes(':'));
  return [
    ...(paused.length === 0 ? [ok('providers', 'none is paused')] : paused.map(pauseFinding)),
    await checksOf(deps, new Set(paused.map(({ provider }) => provider))),
  ];
}

function pauseFinding({
  provider,
  failure,
  reason,
  pausedUntil,
}: Awaited<ReturnType<typeof pausedProviders>>[number]): Finding {
  const what = `${provider} is paused: ${reason}`;
  if (failure === PAUSED_BY_OPERATOR)
    return advice(
      'providers',
      `${provider} is paused by an operator until ${pausedUntil && toUtcSeconds(pausedUntil)}: ${reason}`,
      `to end the pause, run \`npm run admin -- providers resume ${provider}\``,
    );
  if (failure === 'auth')
    return problem(
      'providers',
      what,
      `correct the credentials of ${provider} (docs/carriers.md), try them with \`npm run admin -- providers try\`, and restart the pollers`,
    );
  return problem(
    'providers',
    what,
    `check the status page of ${provider}; a route (PROVIDER_ROUTES) moves its parcels to another provider`,
  );
}

async function checksOf({ db, now }: Deps, paused: ReadonlySet<string>): Promise<Finding> {
  const at = now();
  const late = (await readBacklogs(db, at)).filter(
    ({ provider, oldestAt }) => !paused.has(provider) && at.getTime() - oldestAt.getTime() > LATE_CHECK_SECONDS * 1000,
  );
  if (late.length === 0) return ok('checks', 'none is more than 15 minutes late');
  const what = late.map(({ provider, oldestAt }) => `${provider} since ${oldestAt.toISOString()}`).join(', ');
  return problem(
    'checks',
    `overdue at ${what}`,
    'check that a poller is running and its provider is on (docs/runbooks.md, "Checks late")',
  );
}

async function deliveriesOf({ db, now }: Deps): Promise<Finding> {
  const oldest = (await pendingEndpoints(db))
    .filter(({ isClosed, failingSince }) => !isClosed && failingSince === null)
    .reduce((max, { dueAt }) => Math.max(max, now().getTime() - dueAt.getTime()), 0);
  if (oldest <= LATE_DELIVERY_SECONDS * 1000) return ok('deliveries', 'none to a healthy receiver is late');
  const what = `one to a healthy receiver has been due for ${Math.round(oldest / 1000)} s`;
  return problem('deliveries', what, 'check that a dispatcher is running (docs/runbooks.md, "Deliveries late")');
}

async function receiversOf({ db, now }: Deps): Promise<Finding> {
  const before = new Date(now().getTime() - FAILING_SECONDS * 1000);
  const { count, oldest } = await failingEndpoints(db, { before, limit: SHOWN });
  if (count === 0) return ok('receivers', 'none has been failing for an hour');
  const shown = oldest.map(
    ({ id, accountId, failingSince }) => `${id} of account ${accountId} since ${failingSince.toISOString()}`,
  );
  return advice(
    'receivers',
    `${count} have been failing for more than an hour: ${shown.join(', ')}${count > SHOWN ? ', …' : ''}`,
    'tell the merchants; to test a receiver, run `npm run receiver-check -- URL`; GET /webhooks/deliveries lists each attempt',
  );
}

async function historyOf({ db, retentionDays, now }: Deps): Promise<Finding> {
  const ages = await readHistoryAges(db, { retentionDays, now: now() });
  const lacking = ages.filter(({ aheadSeconds }) => aheadSeconds < HISTORY.aheadSeconds);
  const expired = ages.filter(({ expiredSeconds }) => expiredSeconds > HISTORY.expiredSeconds);
  if (lacking.length + expired.length === 0)
    return ok('history', 'partitions are created in advance, and expired ones are dropped');
  const faults = [
    ...lacking.map(({ table }) => `${table} lacks a partition for tomorrow`),
    ...expired.map(({ table, expiredSeconds }) => `${table} has rows that expired ${days(expiredSeconds)} days ago`),
  ];
  return problem(
    'history',
    faults.join(', '),
    'check that a dispatcher is running (docs/runbooks.md, "History partitions")',
  );
}

function days(seconds: number): number {
  return Math.floor(seconds / 86_400);
}

type CallDeps = { db: Db; env: NodeJS.ProcessEnv; now(): Date };

/** Calls each provider that is on once, about a parcel that it is asked about anyway: that costs nothing but a call. */
export const looksAtCarriers = (deps: CallDeps, ms: number): Look[] =>
  knownProviders(deps.env).map(({ name }) => ['carrier calls', async () => [await callOf(deps, name)], ms]);

async function callOf(deps: CallDeps, name: string): Promise<Finding> {
  const parcel = await parcelOf(deps.db, name);
  if (!parcel)
    return advice(
      'carrier calls',
      `${name} was not called, because none of its parcels is checked`,
      `to ask about a number of your own, run \`npm run admin -- providers try ${name} NUMBER\``,
    );
  const { hints, ...question } = parcel;
  try {
    return findingOf(name, await tryNumber(deps, connectOne(deps, name), { ...question, ...hints }));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return advice(
      'carrier calls',
      `${name} was not called: ${error.message}`,
      'to see what is left, run `npm run admin -- providers budget`',
    );
  }
}

function findingOf(name: string, { answer, durationMs }: Tried): Finding {
  if (answer.kind !== 'failed' || !concernsProvider(answer.failure))
    return ok('carrier calls', `${name} responds with these credentials, in ${durationMs} ms`);
  const what = `${name}: ${answer.message}`;
  if (answer.failure === 'auth')
    return problem('carrier calls', what, `correct the credentials of ${name} (docs/carriers.md)`);
  return problem('carrier calls', what, `check the status page of ${name} and your contract with it`);
}
