import { isApiError } from '@pts/client/errors';
import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useHotkeys } from '../behaviour/typing.ts';
import { useFeed } from '../data/feed.ts';
import { useFormat } from '../i18n/format.ts';
import { useText } from '../i18n/language.ts';
import {
  connection,
  type FailedRead,
  failedReads,
  isOutdated,
  SERVICE_URL,
  watchBuild,
} from '../session/connection.ts';
import { failureOf } from '../session/failure.ts';
import { useIsTest, wayBackToLive } from '../session/session.ts';
import { useStore } from '../session/store.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Part } from '../ui/part.tsx';
import css from './frame.module.css';
import { Search } from './search.tsx';
import { TopBar } from './top-bar.tsx';

/** The frame around every view: the bar, the rail, search, help, and what is wrong with the connection. */
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

/**
 * Loads the other views once this one is shown: a tab that is older than the current build then still has all of them.
 */
function usePrefetch(parts: readonly Loadable[]): void {
  const pending = useRef(parts);
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const part of pending.current) void part.load().catch(() => {});
    }, 2_000);
    return () => clearTimeout(timer);
  }, []);
}

const VIEWS = [
  { name: 'overview', href: '/' },
  { name: 'shipments', href: '/shipments' },
  { name: 'webhooks', href: '/webhooks' },
  { name: 'imports', href: '/imports' },
  { name: 'keys', href: '/keys' },
  { name: 'people', href: '/people' },
  { name: 'settings', href: '/settings' },
] as const;

function isAt(path: string, href: string): boolean {
  return href === '/' ? path === href : path.startsWith(href);
}

function Rail() {
  const t = useText();
  const [path] = useLocation();
  return (
    <nav className={css.rail} aria-label={t.nav.title}>
      <ul>
        {VIEWS.map(({ name, href }) => (
          <li key={name}>
            <Link href={href} className={css.link} aria-current={isAt(path, href) ? 'page' : undefined}>
              <Icon name={name} />
              {t.nav[name]}
            </Link>
          </li>
        ))}
        <li className={css.docs}>
          <a href={`${SERVICE_URL}/docs`} target="_blank" rel="noreferrer" className={css.link}>
            <Icon name="docs" />
            {t.nav.docs}
            <Icon name="leaves" />
            <span className="unseen">{t.newTab}</span>
          </a>
        </li>
      </ul>
    </nav>
  );
}

/** All keys. */
function Help({ onClose }: { onClose(): void }) {
  const t = useText().help;
  const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
    [['/', '⌘K', 'Ctrl+K'], t.search],
    [['j', 'k'], t.rows],
    [['Enter'], t.open],
    [['x'], t.select],
    [['r'], t.retrack],
    [['Esc'], t.close],
    [['?'], t.title],
  ];
  return (
    <Dialog title={t.title} onClose={onClose}>
      <dl className={css.keys}>
        {keys.map(([names, what]) => (
          <div key={what} style={{ display: 'contents' }}>
            <dt>
              {names.map((name) => (
                <kbd key={name} className={css.key}>
                  {name}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const positions = new Map<string, number>();
let isBack = false;

// Listens before the router does, which renders the page at once.
window.addEventListener('popstate', () => {
  isBack = true;
});

/**
 * Back and Forward restore the place on the page; a new page starts at its top. Filters and drawers do not change it.
 */
function useScrollMemory(): void {
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

/** Notices about everything that is shown: it is old, or the console itself is. Nothing covers them. */
function Bars() {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const observer = new ResizeObserver(([bars]) =>
      style.setProperty('--notices', `${bars?.contentRect.height ?? 0}px`),
    );
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div role="status" ref={ref} className={css.bars}>
      <Offline />
      <Stale />
      <Outdated />
    </div>
  );
}

/** Over every view while the key is a test key: nothing here is a real parcel. */
function TestMode() {
  const t = useText().testMode;
  if (!useIsTest()) return null;
  const leave = wayBackToLive();
  return (
    <aside className={css.testMode}>
      {t.what}
      {leave && (
        <Button look="quiet" onClick={leave}>
          {t.leave}
        </Button>
      )}
    </aside>
  );
}

function Offline() {
  const t = useText().offline;
  const format = useFormat();
  const { lostAt, heardAt } = useStore(connection);
  const queries = useQueryClient();
  const wasLost = useRef(false);
  useEffect(() => {
    if (lostAt === null && wasLost.current) void queries.refetchQueries({ type: 'active' });
    wasLost.current = lostAt !== null;
  }, [lostAt, queries]);
  if (lostAt === null) return null;
  return (
    <p className={css.bar}>
      <strong>{t.title}</strong> {heardAt !== null && t.shown(format.dateTime(new Date(heardAt)))} {t.retrying}
    </p>
  );
}

/**
 * Notice that the data shown is old, because it could not be read again. The view itself says so where there is nothing
 * to show.
 */
function Stale() {
  const text = useText();
  const format = useFormat();
  const { lostAt } = useStore(connection);
  const queries = useQueryClient();
  const failed = useFailedRead();
  if (failed === null || lostAt !== null) return null;
  const { what, advice, lang, requestId } = failureOf(failed.error, text);
  return (
    <p className={css.bar}>
      <strong>{text.stale.title}</strong>
      <span>
        {what} <span lang={lang}>{advice}</span> {text.stale.shown(format.dateTime(new Date(failed.shownSince)))}
      </span>
      {requestId !== null && (
        <span>
          {text.failure.requestId} <code>{requestId}</code> <Copy value={requestId} />
        </span>
      )}
      <Button look="quiet" onClick={() => void queries.refetchQueries(FAILED)}>
        {text.failure.retry}
      </Button>
    </p>
  );
}

const GONE = ['not_found', 'not_registered', 'invalid_id'] as const;

/** Queries whose data is shown and could not be read again, except data that has been removed. */
const FAILED: QueryFilters = {
  type: 'active',
  predicate: (query) => {
    const failed = failedReads.get().get(query);
    return failed !== undefined && query.state.data !== undefined && !isApiError(failed.error, ...GONE);
  },
};

/** The failed read whose data has been shown for longest; null if everything could be read again. */
function useFailedRead(): FailedRead | null {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache]);
  const failures = useStore(failedReads);
  return useSyncExternalStore(subscribe, () => {
    const failed = cache.findAll(FAILED).flatMap((query) => failures.get(query) ?? []);
    const [oldest] = failed.toSorted((a, b) => a.shownSince - b.shownSince);
    return oldest ?? null;
  });
}

function Outdated() {
  const t = useText().outdated;
  if (!useStore(isOutdated)) return null;
  return (
    <p className={css.bar}>
      {t.title}
      <Button look="quiet" onClick={() => location.reload()}>
        {t.reload}
      </Button>
    </p>
  );
}
