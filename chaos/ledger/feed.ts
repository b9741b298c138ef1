import type { Discrepancy, Facts } from './facts.ts';

/** A reader of the feed gets every event that is stored in the end, whatever happened to the server that it read from. */
export function checkFeed({ feeds, messages, stored }: Facts): Discrepancy[] {
  const parcels = new Map(stored.map((parcel) => [parcel.id, parcel]));
  return feeds.flatMap(({ account, seen, refusals }) => [
    ...refusals.map((about) => ({ promise: 'the feed goes on from its cursors', about })),
    ...messages.flatMap(({ id, trackingId, seq }) => {
      const parcel = parcels.get(trackingId);
      if (parcel?.account !== account || seen.has(id)) return [];
      return [{ promise: 'every event is in the feed', about: `${id}: event ${seq} of ${parcel.number}` }];
    }),
  ]);
}
