import type { Query } from '@tanstack/react-query';
import { createStore } from './store.ts';

/** A read that has failed: why, and since when its data is shown, in milliseconds. */
export type FailedRead = { error: Error; shownSince: number };

/** Of any types. */
type AnyQuery = { readonly state: Pick<Query['state'], 'dataUpdatedAt' | 'fetchMeta'> };

/** The queries whose last read failed. Their own state forgets it when an event changes what they hold. */
export const failedReads = createStore<ReadonlyMap<AnyQuery, FailedRead>>(new Map());

const readAt = new WeakMap<AnyQuery, number>();

export function noteRead(query: AnyQuery): void {
  if (isNextPage(query)) return;
  readAt.set(query, Date.now());
  if (!failedReads.get().has(query)) return;
  failedReads.set(new Map([...failedReads.get()].filter(([other]) => other !== query)));
}

export function noteFailure(error: Error, query: AnyQuery): void {
  if (isNextPage(query)) return;
  const shownSince = readAt.get(query) ?? query.state.dataUpdatedAt;
  failedReads.set(new Map([...failedReads.get(), [query, { error, shownSince }]]));
}

/** What is shown stays as it is when there is only more to read: the list itself says that. */
function isNextPage({ state }: AnyQuery): boolean {
  return state.fetchMeta?.fetchMore !== undefined;
}
