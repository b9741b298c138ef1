import type { Discrepancy, Facts } from './facts.ts';

/** A reader of the feed gets every event that is stored in the end, whatever happened to the server that it read from. */
export function checkFeed({ feeds, messages, stored }: Facts): Discrepancy[] {
  const parcels = new Map(stored.map((parcel) => [parcel.id, parcel]));
  return feeds.flatMap(({ account, path, seen, refusals }) => [
    ...refusals.map((text) => ({ promise: 'the feed goes on from its cursors', about: `${path}: ${text}` })),
    ...messages.flatMap(({ id, trackingId, seq }) => {
      const parcel = parcels.get(trackingId);
      if (parcel?.account !== account || seen.has(id)) return [];
      return [{ promise: 'every event is in the feed', about: `${path}: ${id}, event ${seq} of ${parcel.number}` }];
    }),
  ]);
}
