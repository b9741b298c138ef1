import type { Shipment } from '@pts/client/types';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { changesSince, MAX_CHANGES } from '../../data/changes.ts';
import { feed, forgetChanges } from '../../data/feed.ts';
import { refreshShipments } from '../../data/shipments.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useStore } from '../../session/store.ts';
import { Button } from '../../ui/button.tsx';
import css from './shipments.module.css';

type NewsProps = {
  rows: readonly Shipment[];
  /** Since when the list shows what it shows, in milliseconds. */
  readAt: number;
  /** Whether some parcels of the account do not belong to the list. */
  isFiltered: boolean;
  isFetching: boolean;
};

/** The lists are read again when the reader says so: no row moves by itself. What a filter leaves out is counted apart. */
export function News({ rows, readAt, isFiltered, isFetching }: NewsProps) {
  const t = useText().shipments;
  const format = useFormat();
  const queries = useQueryClient();
  const changed = changesSince(useStore(feed).changed, readAt);
  const listed = isFiltered ? rows.filter(({ id }) => changed.has(id)).length : changed.size;
  const elsewhere = changed.size - listed;
  const counted = (count: number) =>
    changed.size < MAX_CHANGES ? format.number(count) : t.orMore(format.number(count));
  const refresh = async () => {
    const startedAt = Date.now();
    if (await refreshShipments(queries)) forgetChanges(startedAt);
  };
  const isFirst = rows.length === 0 && listed > 0;
  // Where there is no row, none moves.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for the first news
  useEffect(() => {
    if (isFirst) void refresh();
  }, [isFirst]);
  return (
    <div className={`${css.news} ${listed > 0 ? css.hasNews : ''}`} role="status">
      {elsewhere > 0 && <span className={css.elsewhere}>{t.newsElsewhere(counted(elsewhere))}</span>}
      <Button look="quiet" onClick={refresh} busy={isFetching}>
        {listed > 0 ? t.news(counted(listed)) : t.refresh}
      </Button>
    </div>
  );
}
