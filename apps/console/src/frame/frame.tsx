import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useHotkeys } from '../behaviour/hotkeys.ts';
import { useFeed } from '../data/feed.ts';
import { useText } from '../i18n/language.ts';
import { watchBuild } from '../session/build.ts';
import type { Part } from '../ui/part.tsx';
import { Bars, TestMode } from './bars.tsx';
import css from './frame.module.css';
import { Help } from './help.tsx';
import { Rail } from './rail.tsx';
import { useScrollMemory } from './scroll-memory.ts';
import { Search } from './search.tsx';
import { TopBar } from './top-bar.tsx';

/** What is around every view: the bar, the rail, search, help, and what is wrong with the connection. */
export function Frame({ parts, children }: { parts: readonly Loadable[]; children: ReactNode }) {
  const t = useText();
  const [overlay, setOverlay] = useState<'search' | 'help' | null>(null);
  const main = useRef<HTMLElement>(null);
  const [path] = useLocation();
  useFeed();
  useScrollMemory();
  useEffect(() => watchBuild(), []);
  usePrefetch(parts);
  useHotkeys({
    'mod+k': () => setOverlay('search'),
    '/': () => setOverlay('search'),
    '?': () => setOverlay('help'),
  });
  const shownPath = useRef(path);
  useEffect(() => {
    if (shownPath.current === path) return;
    shownPath.current = path;
    setOverlay(null);
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <>
      <TestMode />
      <div className={css.frame}>
        <a href="#main" className={css.skip}>
          {t.skip}
        </a>
        <TopBar onSearch={() => setOverlay('search')} onHelp={() => setOverlay('help')} />
        <Rail />
        <main id="main" ref={main} tabIndex={-1} className={css.main}>
          <Bars />
          {children}
        </main>
        {overlay === 'search' && <Search onClose={() => setOverlay(null)} />}
        {overlay === 'help' && <Help onClose={() => setOverlay(null)} />}
      </div>
    </>
  );
}

type Loadable = Pick<Part<unknown>, 'load'>;

/** Loads the other views once this one is shown: a tab that is older than the current build then still has all of them. */
function usePrefetch(parts: readonly Loadable[]): void {
  const pending = useRef(parts);
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const part of pending.current) void part.load().catch(() => {});
    }, 2_000);
    return () => clearTimeout(timer);
  }, []);
}
