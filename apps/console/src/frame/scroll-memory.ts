import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';

const positions = new Map<string, number>();
let isBack = false;

// Listens before the router does, which renders the page at once.
window.addEventListener('popstate', () => {
  isBack = true;
});

/** Back and Forward restore the place on the page; a new page starts at its top. Filters and drawers do not change it. */
export function useScrollMemory(): void {
  const [path] = useLocation();
  useEffect(() => {
    history.scrollRestoration = 'manual';
    const onScroll = () => positions.set(location.pathname, window.scrollY);
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  const search = useSearch();
  const shown = useRef('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs for each new address
  useLayoutEffect(() => {
    if (shown.current !== path) window.scrollTo(0, isBack ? (positions.get(location.pathname) ?? 0) : 0);
    shown.current = path;
    isBack = false;
  }, [path, search]);
}
