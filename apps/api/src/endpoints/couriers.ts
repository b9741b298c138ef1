import { routeFor } from '@pts/carriers/providers/configured';
import { type Carrier, carriers } from '@pts/carriers/registry/registry';
import * as contract from '@pts/contract/couriers';
import type { Infer } from '@pts/contract/schema';
import { toUtcSeconds } from '@pts/core/time';
import { carriersHealth, type Detection, detectCarrier as detect } from '@pts/service/couriers';
import { numberFaults } from '@pts/service/trackings/register';
import type { ApiDeps } from '../deps.ts';
import { type Handler, operation } from '../http/operation.ts';

/** GET /couriers/all */
export const couriersAll = operation(contract.listCouriers, {
  async run(deps) {
    const couriers = carriers({ sandbox: deps.sandbox }).map((carrier) => viewCourier(deps, carrier));
    return { count: couriers.length, couriers };
  },
});

const handler: Handler<typeof contract.detectCarrier> = {
  faults: (_deps, input) => numberFaults(input),
  run: async (deps, { account }, input) => view(deps, await detect({ ...deps, accountId: account.id }, input)),
};

/** POST /carrier/detect */
export const detectCarrier = operation(contract.detectCarrier, handler);
/** POST /couriers/detect */
export const detectCourier = operation(contract.detectCourier, handler);

function view(deps: ApiDeps, { trackingNumber, carrier, candidates }: Detection) {
  const viewed = candidates.map((candidate) => viewCandidate(deps, candidate));
  return { tracking_number: trackingNumber, carrier, candidates: viewed } satisfies Infer<
    typeof contract.detectResponse
  >;
}

/** GET /couriers/health */
export const couriersHealth = operation(contract.getCouriersHealth, {
  async run(deps, { account }) {
    const couriers = (await carriersHealth(deps, account.id)).map((found) => ({
      courier_code: found.carrier,
      state: found.state,
      late_seconds: found.lateSeconds,
      paused_until: found.pausedUntil && toUtcSeconds(found.pausedUntil),
      checked_at: found.checkedAt && toUtcSeconds(found.checkedAt),
    }));
    return { count: couriers.length, couriers };
  },
});

/** A carrier as the API family shows it. */
export function viewCourier({ providers }: Pick<ApiDeps, 'providers'>, carrier: Carrier) {
  const route = routeFor(carrier.code, providers);
  return {
    courier_code: carrier.code,
    courier_name: carrier.name,
    courier_name_zh: carrier.nameZh,
    courier_country_iso2: carrier.country,
    courier_url: carrier.url,
    courier_phone: carrier.phone,
    courier_type: carrier.type,
    tracking_required_fields: [...carrier.requiredFields],
    trackable: route.length > 0,
    tracked_by: route.map(({ name }) => name),
  };
}

/** A carrier that may have issued the number. */
export function viewCandidate(
  deps: Pick<ApiDeps, 'providers'>,
  { carrier, confidence }: Detection['candidates'][number],
) {
  return { ...viewCourier(deps, carrier), confidence };
}
