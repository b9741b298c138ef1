import { Component, type ReactNode } from 'react';
import { spoken } from '../i18n/language.ts';
import { checkBuild } from '../session/build.ts';
import { EmptyState } from './states.tsx';

/** Shows an error in place of a view that cannot be loaded or rendered. A missing part usually means that there is a newer build. */
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
