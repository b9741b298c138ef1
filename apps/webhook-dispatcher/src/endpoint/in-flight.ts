import type { DueDelivery, LoadRequest } from '@pts/db/deliveries/attempts';

/** The deliveries of one endpoint that were loaded and are not yet recorded. */
export type InFlight = {
  add(deliveries: readonly DueDelivery[]): void;
  /** The next one to send: no other of its parcel is in flight. */
  start(): DueDelivery | undefined;
  /** The receiver has answered: the next of that parcel may be sent. */
  answered(delivery: DueDelivery): void;
  /** It is stored, and will not be loaded again. */
  recorded(delivery: DueDelivery): void;
  /** Loaded and not started. */
  ready(): number;
  /** Sent and not answered. */
  sending(): number;
  /** The position where loading continues. */
  position(): Pick<LoadRequest, 'after' | 'inFlight'>;
};

/** Deliveries of one parcel are started in the order in which they were added, one after the other. */
export function createInFlight(): InFlight {
  const waiting: DueDelivery[] = [];
  const parcels = new Set<string>();
  const late = new Set<string>();
  let after: string | null = null;
  return {
    add(deliveries) {
      for (const { deliveryId, fresh } of deliveries) {
        if (!fresh) late.add(deliveryId);
        else if (after === null || BigInt(deliveryId) > BigInt(after)) after = deliveryId;
      }
      waiting.push(...deliveries);
    },
    start() {
      const index = waiting.findIndex((delivery) => !parcels.has(parcelOf(delivery)));
      if (index < 0) return undefined;
      const [next] = waiting.splice(index, 1);
      if (next) parcels.add(parcelOf(next));
      return next;
    },
    answered: (delivery) => void parcels.delete(parcelOf(delivery)),
    recorded: ({ deliveryId }) => void late.delete(deliveryId),
    ready: () => waiting.length,
    sending: () => parcels.size,
    position: () => ({ after, inFlight: [...late] }),
  };
}

function parcelOf({ trackingId, deliveryId }: DueDelivery): string {
  return trackingId ?? deliveryId;
}
