import { getCouriersHealth as contract } from '@pts/contract/operations/couriers';
import { toUtcSeconds } from '@pts/core/time';
import { carriersHealth } from '@pts/service/couriers';
import { operation } from '../../http/operation.ts';

/** GET /couriers/health */
export const couriersHealth = operation(contract, {
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
