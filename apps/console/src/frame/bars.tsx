import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useFormat } from '../i18n/format.ts';
import { useText } from '../i18n/language.ts';
import { isOutdated } from '../session/build.ts';
import { connection } from '../session/connection.ts';
import { useIsTest, wayBackToLive } from '../session/session.ts';
import { useStore } from '../session/store.ts';
import { Button } from '../ui/button.tsx';
import css from './frame.module.css';

/** What is wrong with all that is shown: it is old, or the console itself is. */
export function Bars() {
  return (
    <div role="status" className={css.bars}>
      <Offline />
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
