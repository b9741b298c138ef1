import { type ReactNode, useLayoutEffect, useState } from 'react';
import { useText } from '../i18n/language.ts';
import { createStore, type Store, useStore } from '../session/store.ts';
import { Skeleton } from './skeleton.tsx';

/** Views that come in one file, loaded when the first of them is shown. */
export type Part<T> = {
  /** Null until they are loaded. */
  views: Store<T | null>;
  /** @throws if the file is gone with its build */
  load(): Promise<void>;
};

export function createPart<T extends object>(read: () => Promise<T>): Part<T> {
  const views = createStore<T | null>(null);
  return { views, load: async () => views.set(await read()) };
}

/**
 * Shows a view of a part as soon as it is loaded. `Suspense` would keep its placeholder for 300 ms, however early the view is there,
 * and only then would the view request what it shows.
 */
export function InPart<T>({ part, children }: { part: Part<T>; children(views: T): ReactNode }) {
  const t = useText();
  const views = useStore(part.views);
  const [error, setError] = useState<Error | null>(null);
  useLayoutEffect(() => void part.load().catch(setError), [part]);
  if (error !== null) throw error;
  return views === null ? <Skeleton label={t.shipments.loading} /> : children(views);
}
