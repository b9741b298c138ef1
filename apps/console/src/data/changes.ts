/** When news of a parcel came last, in milliseconds, by its id. */
export type Changes = ReadonlyMap<string, number>;

/** So many parcels are kept in a tab that is open for days. When there are more, their number is a lower bound. */
export const MAX_CHANGES = 10_000;

export function withChanges(changes: Changes, ids: Iterable<string>, at: number): Changes {
  const next = new Map(changes);
  for (const id of ids) {
    // Newest last.
    next.delete(id);
    next.set(id, at);
  }
  return new Map([...next].slice(-MAX_CHANGES));
}

/** The parcels with news since a moment: a list that was read later shows it already. */
export function changesSince(changes: Changes, since: number): Changes {
  return new Map([...changes].filter(([, at]) => at > since));
}
