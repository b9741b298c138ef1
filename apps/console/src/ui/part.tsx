import { Component, type ReactNode, useLayoutEffect, useState } from 'react';
import { spoken } from '../i18n/language.ts';
import { checkBuild } from '../session/connection.ts';
import { createStore, type Store, useStore } from '../session/store.ts';
import { EmptyState, Skeleton } from './states.tsx';

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
 * Shows a view of a part as soon as it is loaded. `Suspense` would keep its placeholder for 300 ms, however early the
 * view is there, and only then would the view request what it shows.
 */
export function InPart<T>({ part, children }: { part: Part<T>; children(views: T): ReactNode }) {
  const views = useStore(part.views);
  const [error, setError] = useState<Error | null>(null);
  useLayoutEffect(() => void part.load().catch(setError), [part]);
  if (error !== null) throw error;
  return views === null ? <Skeleton /> : children(views);
}

/**
 * Shows an error in place of a view that cannot be loaded or rendered. A missing part usually means that there is a
 * newer build.
 */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch() {
    void checkBuild({ now: true });
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const t = spoken.get().text.failure;
    return (
      <EmptyState title={t.viewBroke} action={{ onClick: () => location.reload(), label: t.reload }}>
        <p>{error.message}</p>
      </EmptyState>
    );
  }
}
