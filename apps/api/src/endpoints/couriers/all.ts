import { providerFor } from '@pts/carriers/providers/configured';
import { type Carrier, carriers } from '@pts/carriers/registry';
import { couriersResponse } from '@pts/contract/couriers';
import type { ApiDeps } from '../../deps.ts';
import { NO_INPUT, operation } from '../../http/operation.ts';

/** A carrier as the API reference shows it. */
export const COURIER_EXAMPLE = {
  courier_code: 'yto',
  courier_name: 'YTO Express',
  courier_name_zh: '圆通速递',
  courier_country_iso2: 'CN',
  courier_url: 'https://www.yto.net.cn',
  courier_phone: '95554',
  courier_type: 'express',
  tracking_required_fields: [],
  trackable: true,
};

/** GET /couriers/all: the known carriers; `trackable` says whether this installation can ask them. */
export const couriersAll = operation({
  method: 'get',
  path: '/couriers/all',
  limit: 'couriers',
  input: null,
  cacheable: true,
  request: NO_INPUT,
  response: couriersResponse,
  doc: {
    id: 'listCouriers',
    tag: 'Carriers',
    summary: 'List the known carriers',
    description:
      'Their codes are what `courier_code` takes. `trackable` says whether this installation can ask a carrier. The list seldom changes: keep it, and ask with `If-None-Match`.',
    example: { response: { count: 1, couriers: [COURIER_EXAMPLE] } },
  },
  async run(deps) {
    const couriers = carriers({ sandbox: deps.sandbox }).map((carrier) => viewCourier(deps, carrier));
    return { count: couriers.length, couriers };
  },
});

/** A carrier as the API family shows it. */
export function viewCourier({ providers }: Pick<ApiDeps, 'providers'>, carrier: Carrier) {
  return {
    courier_code: carrier.code,
    courier_name: carrier.name,
    courier_name_zh: carrier.nameZh,
    courier_country_iso2: carrier.country,
    courier_url: carrier.url,
    courier_phone: carrier.phone,
    courier_type: carrier.type,
    tracking_required_fields: [...carrier.requiredFields],
    trackable: providerFor(carrier.code, providers) !== undefined,
  };
}
