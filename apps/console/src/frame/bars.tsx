import { isApiError } from '@pts/client/errors';
import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { useFormat } from '../i18n/format.ts';
import { useText } from '../i18n/language.ts';
import { isOutdated } from '../session/build.ts';
import { connection } from '../session/connection.ts';
import { type FailedRead, failedReads } from '../session/failed-reads.ts';
import { failureOf } from '../session/failure.ts';
import { useIsTest, wayBackToLive } from '../session/session.ts';
import { useStore } from '../session/store.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import css from './frame.module.css';

/** What is wrong with all that is shown: it is old, or the console itself is. */
export function Bars() {
  return (
    <div role="status" className={css.bars}>
      <Offline />
      <Stale />
      <Outdated />
    </div>
  );
}

/** Over every view while the key is a test key: nothing here is a real parcel. */
export function TestMode() {
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

/** What is shown is old, because it could not be read again. The view itself says so where there is nothing to show. */
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

/** What is shown, and failed when it was read again; not what has been removed. */
const FAILED: QueryFilters = {
  type: 'active',
  predicate: (query) => {
    const failed = failedReads.get().get(query);
    return failed !== undefined && query.state.data !== undefined && !isApiError(failed.error, ...GONE);
  },
};

/** Of what could not be read again, what is shown for longest; null if everything could. */
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
