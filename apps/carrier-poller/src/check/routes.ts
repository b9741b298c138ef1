import type { Provider } from '@pts/carriers/provider';
import { routeFor } from '@pts/carriers/providers/configured';
import { carriers } from '@pts/carriers/registry/registry';
import { TEST_PROVIDER } from '@pts/core/provider';
import { EXPIRES_AFTER_DAYS } from '@pts/core/tracking/schedule';
import {
  type Destination,
  type MovedCheck,
  moveDueChecks,
  moveUnknownChecks,
  type Route,
  readBacklogs,
} from '@pts/db/checks/schedule';
import { listPauses } from '@pts/db/providers';
import type { PollerDeps } from '../deps.ts';
import { leaveProvider } from './next-candidates.ts';

/** A provider whose pause lasts longer than this is replaced; a shorter pause is waited out. */
const OUT_SECONDS = 300;
/** After this long without any news, the next provider of the route is queried. */
const UNKNOWN_HOURS = 24;
const UNKNOWN_EVERY_MS = 3_600_000;
/** Checks of a provider that this process does not know are someone else's, unless nobody has claimed them for this long. */
const OFF_SECONDS = 600;
/** Checks moved in one statement. */
const MOVE_SIZE = 500;

type Why = 'out' | 'off' | 'unknown';

/**
 * Moves checks to a provider that can answer: checks of a provider that is paused for long or no longer configured, and those
 * of parcels that it has not known for long, move to the next one of their carrier's route. A history has one owner at a time:
 * they return only when that one fails, too.
 * @param providers those of live accounts.
 */
export function createRouteSweep(deps: PollerDeps, providers: readonly Provider[]): () => Promise<{ more: boolean }> {
  const routes = carriers({ sandbox: true }).map(({ code }) => ({ carrier: code, route: routeFor(code, providers) }));
  const rotating = routes.filter(({ route }) => route.length > 1).map(toRoute);
  let unknownSweptAt = Number.NEGATIVE_INFINITY;

  async function moveFrom(provider: string, why: Why, out: ReadonlySet<string>): Promise<boolean> {
    const to = routes.flatMap(({ carrier, route }) => destination(carrier, route, provider, out));
    if (to.length === 0) return false;
    const overdueSeconds = why === 'off' ? OFF_SECONDS : 0;
    const moved = await moveDueChecks(deps.db, { provider, to, overdueSeconds, limit: MOVE_SIZE, now: deps.now() });
    report(deps, provider, why, moved);
    return moved.length === MOVE_SIZE;
  }

  /** Numbers whose carrier is known go to the next provider of its route, the others on to their next candidate. */
  async function moveFromOff(provider: string, out: ReadonlySet<string>): Promise<boolean> {
    const more = await moveFrom(provider, 'off', out);
    const dueBy = new Date(deps.now().getTime() - OFF_SECONDS * 1000);
    return (await leaveProvider(deps, provider, dueBy)) || more;
  }

  async function moveUnknown(): Promise<boolean> {
    if (rotating.length === 0 || performance.now() - unknownSweptAt < UNKNOWN_EVERY_MS) return false;
    const rounds = [];
    for (const { name } of providers) {
      const [limits, times] = [{ limit: MOVE_SIZE, now: deps.now() }, { afterHours: UNKNOWN_HOURS }];
      const input = { provider: name, routes: rotating, newsDays: EXPIRES_AFTER_DAYS, ...limits, ...times };
      const moved = await moveUnknownChecks(deps.db, input);
      report(deps, name, 'unknown', moved);
      rounds.push(moved.length);
    }
    const more = rounds.includes(MOVE_SIZE);
    if (!more) unknownSweptAt = performance.now();
    return more;
  }

  return async () => {
    const out = await providersOut(deps);
    const on = new Set(providers.map(({ name }) => name));
    const off = (await readBacklogs(deps.db, deps.now()))
      .map(({ provider }) => provider)
      // Test parcels wait: nobody else may be asked about them.
      .filter((name) => !on.has(name) && name !== TEST_PROVIDER);
    const rounds = [
      ...(await inTurn(
        [...out].filter((name) => on.has(name)),
        (name) => moveFrom(name, 'out', out),
      )),
      ...(await inTurn(off, (name) => moveFromOff(name, out))),
      await moveUnknown(),
    ];
    return { more: rounds.includes(true) };
  };
}

async function inTurn(names: readonly string[], work: (name: string) => Promise<boolean>): Promise<boolean[]> {
  const results = [];
  for (const name of names) results.push(await work(name));
  return results;
}

/** The providers that are paused for long. */
async function providersOut({ db, now }: PollerDeps): Promise<ReadonlySet<string>> {
  const min = now().getTime() + OUT_SECONDS * 1000;
  const pauses = await listPauses(db);
  return new Set(
    pauses.filter(({ pausedUntil }) => (pausedUntil?.getTime() ?? 0) >= min).map(({ provider }) => provider),
  );
}

/** Where the checks of a carrier go from a provider: the first of the route that is not paused itself. */
function destination(
  carrier: string,
  route: readonly Provider[],
  from: string,
  out: ReadonlySet<string>,
): Destination[] {
  const next = route.find(({ name }) => name !== from && !out.has(name));
  return next === undefined ? [] : [{ carrier, provider: next.name, floorSeconds: next.limits.floorSeconds }];
}

function toRoute({ carrier, route }: { carrier: string; route: readonly Provider[] }): Route {
  return { carrier, route: route.map(({ name, limits }) => ({ provider: name, floorSeconds: limits.floorSeconds })) };
}

function report({ logger, metrics }: PollerDeps, from: string, why: Why, moved: readonly MovedCheck[]): void {
  if (moved.length === 0) return;
  for (const { provider } of moved) metrics.moved.inc({ from, to: provider, why });
  logger.info(
    { from, to: [...new Set(moved.map(({ provider }) => provider))], why, checks: moved.length },
    'checks moved',
  );
}
