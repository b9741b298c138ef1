import { routeFor } from '@pts/carriers/providers/configured';
import { type Carrier, findCarrier } from '@pts/carriers/registry/registry';
import { refusal } from '@pts/core/errors';
import { normaliseNumber } from '@pts/core/tracking/number';
import { type ProviderHealth, readProviderHealth } from '@pts/db/providers';
import { countParcels } from '@pts/db/stats';
import type { ServiceContext } from './context.ts';
import { type ChoiceContext, chooseServedCarrier, loadLearned, numberFaults } from './trackings/register.ts';

/**
 * Possible carriers of the number, best first. `carrier` is the one that a registration would choose; null if none can
 * be determined.
 */
export type Detection = {
  trackingNumber: string;
  carrier: string | null;
  candidates: { carrier: Carrier; confidence: number }[];
};

/** A number to detect the carrier of, with the fields that name its countries. */
type Detected = { tracking_number: string; destination_country?: string | undefined; phone?: string | undefined };

/** The possible carriers of a text as a number. Nothing is stored. @throws ServiceError `invalid_number`. */
export async function detectCarrier(ctx: ChoiceContext, input: Detected): Promise<Detection> {
  const { sandbox } = ctx;
  const text = input.tracking_number;
  const trackingNumber = normaliseNumber(text);
  if (trackingNumber === null) throw refusal(numberFaults({ tracking_number: text }));
  await loadLearned(ctx, [trackingNumber]);
  const { carrier, candidates } = chooseServedCarrier(ctx, trackingNumber, input);
  const known = candidates.flatMap(({ carrier: code, confidence }) => {
    const found = findCarrier(code, { sandbox });
    return found ? [{ carrier: found, confidence }] : [];
  });
  return { trackingNumber, carrier, candidates: known };
}

/** A check that waits less long than this is in time. */
const LATE_SECONDS = 60;

/** Whether a carrier's parcels are checked. `unserved`: no provider of this installation serves it. */
type CarrierHealth = {
  carrier: string;
  state: 'on_time' | 'late' | 'paused' | 'unserved';
  /** How long the oldest check has been due; 0 if none is. */
  lateSeconds: number;
  pausedUntil: Date | null;
  /** When a regular check was last begun; null: not yet. */
  checkedAt: Date | null;
};

/** The carriers of an account's parcels. As in routing, the first provider that is not paused counts. */
export async function carriersHealth(
  { db, providers, now }: Pick<ServiceContext, 'db' | 'providers' | 'now'>,
  accountId: string,
): Promise<CarrierHealth[]> {
  const at = now();
  const { carriers } = await countParcels(db, accountId);
  const mostFirst = [...carriers].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const routes = mostFirst.map(([carrier]) => ({
    carrier,
    names: routeFor(carrier, providers).map(({ name }) => name),
  }));
  const names = [...new Set(routes.flatMap((route) => route.names))];
  const found = new Map((await readProviderHealth(db, names, at)).map((health) => [health.provider, health]));
  return routes.map((route) => healthOf(route, found, at));
}

function healthOf(
  { carrier, names }: { carrier: string; names: readonly string[] },
  found: ReadonlyMap<string, ProviderHealth>,
  now: Date,
): CarrierHealth {
  const route = names.flatMap((name) => found.get(name) ?? []);
  const isPaused = ({ pausedUntil }: ProviderHealth) => pausedUntil !== null && pausedUntil > now;
  const provider = route.find((one) => !isPaused(one)) ?? route[0];
  if (!provider) return { carrier, state: 'unserved', lateSeconds: 0, pausedUntil: null, checkedAt: null };
  const { oldestDueAt, checkedAt } = provider;
  const lateSeconds =
    oldestDueAt === null ? 0 : Math.max(0, Math.floor((now.getTime() - oldestDueAt.getTime()) / 1000));
  if (isPaused(provider))
    return { carrier, state: 'paused', lateSeconds, pausedUntil: provider.pausedUntil, checkedAt };
  return { carrier, state: lateSeconds < LATE_SECONDS ? 'on_time' : 'late', lateSeconds, pausedUntil: null, checkedAt };
}
