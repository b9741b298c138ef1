import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useHotkeys } from '../behaviour/hotkeys.ts';
import { useFeed } from '../data/feed.ts';
import { useText } from '../i18n/language.ts';
import { watchBuild } from '../session/build.ts';
import { Bars, TestMode } from './bars.tsx';
import css from './frame.module.css';
import { Help } from './help.tsx';
import { Rail } from './rail.tsx';
import { useScrollMemory } from './scroll-memory.ts';
import { Search } from './search.tsx';
import { TopBar } from './top-bar.tsx';

/** What is around every view: the bar, the rail, search, help, and what is wrong with the connection. */
export function Frame({ prefetch, children }: { prefetch: readonly (() => Promise<unknown>)[]; children: ReactNode }) {
  const t = useText();
  const [overlay, setOverlay] = useState<'search' | 'help' | null>(null);
  const main = useRef<HTMLElement>(null);
  const [path] = useLocation();
  useFeed();
  useScrollMemory();
  useEffect(() => watchBuild(), []);
  usePrefetch(prefetch);
  useHotkeys({
    'mod+k': () => setOverlay('search'),
    '/': () => setOverlay('search'),
    '?': () => setOverlay('help'),
  });
  const shownPath = useRef(path);
  useEffect(() => {
    if (shownPath.current !== path) main.current?.focus({ preventScroll: true });
    shownPath.current = path;
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

/** Loads the other views once this one is shown: a tab that is older than the current build then still has all of them. */
function usePrefetch(views: readonly (() => Promise<unknown>)[]): void {
  const pending = useRef(views);
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const load of pending.current) void load().catch(() => {});
    }, 2_000);
    return () => clearTimeout(timer);
  }, []);
}
