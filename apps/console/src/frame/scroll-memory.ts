import { useEffect, useLayoutEffect } from 'react';
import { useLocation } from 'wouter';

const positions = new Map<string, number>();
let isBack = false;

/** Back and Forward restore the place on the page; a new page starts at its top. Filters and drawers leave it alone. */
export function useScrollMemory(): void {
  const [path] = useLocation();
  useEffect(() => {
    history.scrollRestoration = 'manual';
    const onScroll = () => positions.set(location.pathname, window.scrollY);
    const onPop = () => {
      isBack = true;
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    // Before the router hears of it, which draws the page at once.
    window.addEventListener('popstate', onPop, { capture: true });
    return () => {
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('popstate', onPop, { capture: true });
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs for each new path
  useLayoutEffect(() => {
    window.scrollTo(0, isBack ? (positions.get(location.pathname) ?? 0) : 0);
    isBack = false;
  }, [path]);
}
