import { routeFor } from '@pts/carriers/providers/configured';
import type { Carrier } from '@pts/carriers/registry/registry';
import type { Detection } from '@pts/service/couriers';
import type { ApiDeps } from '../../deps.ts';

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
