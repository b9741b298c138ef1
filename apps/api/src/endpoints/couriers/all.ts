import { carriers } from '@pts/carriers/registry/registry';
import { listCouriers } from '@pts/contract/couriers';
import { operation } from '../../http/operation.ts';
import { viewCourier } from './view.ts';

/** GET /couriers/all */
export const couriersAll = operation(listCouriers, {
  async run(deps) {
    const couriers = carriers({ sandbox: deps.sandbox }).map((carrier) => viewCourier(deps, carrier));
    return { count: couriers.length, couriers };
  },
});
