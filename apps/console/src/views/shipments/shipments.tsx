import { isRetrackTooSoon } from '@pts/client/errors';
import { useCallback, useMemo, useState } from 'react';
import { useAddress } from '../../behaviour/address.ts';
import { startOfDay } from '../../behaviour/range.ts';
import { useShipments } from '../../data/shipments.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useToastFailure } from '../../ui/toast-failure.ts';
import { BulkBar } from '../bulk.tsx';
import { ShipmentDrawer } from '../shipment/shipment-drawer.tsx';
import { Chips } from './chips.tsx';
import { columnsOf } from './columns.ts';
import { Export } from './export.tsx';
import { Filters } from './filters.tsx';
import { ShipmentList } from './list.tsx';
import { News } from './news.tsx';
import { NoParcels, NothingMatches } from './nothing.tsx';
import { Place } from './place.tsx';
import { FILTERS, filterValue, queryOf } from './query.ts';
import { SelectionBar } from './selection-bar.tsx';
import css from './shipments.module.css';
import { Total } from './total.tsx';

/** All shipments of the account: newest change first, narrowed by the filters of the address. */
export function Shipments() {
  const t = useText().shipments;
  const format = useFormat();
  const address = useAddress();
  // Periods begin at midnight: the query stays the same all day.
  const filter = queryOf(address.get, startOfDay(new Date(), 0));
  const isFiltered = FILTERS.some((name) => filterValue(address.get, name) !== null);
  const list = useShipments(filter, address.get('from'));
  const { data, error, isPending, isFetching, refetch, isPlaceholderData } = list;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const retrack = useRetrackOne();
  const rows = data?.pages.flatMap((page) => page.shipments) ?? [];
  const open = address.get('open');
  const isEmpty = data !== undefined && rows.length === 0 && !list.hasNextPage;

  const pages = data?.pages ?? [];
  const lastRows = pages.at(-1)?.shipments.length ?? 0;
  const cursor = pages.at(-2)?.next_cursor;
  const lastPage = cursor ? { before: rows.length - lastRows, cursor } : null;
  const { total = 0, total_is_lower_bound: isLowerBound } = data?.pages[0] ?? {};
  const count = isLowerBound ? t.orMore(format.number(total)) : format.number(total);
  const matching = total > selected.size && !isPlaceholderData ? { filter, count } : null;

  const cols = address.get('cols');
  const columns = useMemo(() => columnsOf(cols), [cols]);
  const { fetchNextPage } = list;
  // A page that is being read is not requested again.
  const readNext = useCallback(() => fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  const toggle = useCallback(
    (id: string) =>
      setSelected((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );

  return (
    <>
      <PageHead title={t.title}>
        <ButtonLink href="/shipments/add" look="primary">
          {t.add}
        </ButtonLink>
      </PageHead>
      <div className={css.tools}>
        <Filters />
      </div>
      <Chips />
      <div className={css.counts}>
        <Total page={data?.pages[0]} isFiltered={isFiltered} isSearching={isPlaceholderData} />
        {data && (
          <News rows={rows} readAt={data.pages[0]?.readAt ?? 0} isFiltered={isFiltered} isFetching={isFetching} />
        )}
        <Place lastPage={lastPage} />
        <Export filter={filter} />
      </div>
      <div className={css.dock}>
        <BulkBar kind="shipments" className={css.selection} />
        {selected.size > 0 && (
          <SelectionBar
            selected={selected}
            matching={matching}
            onDeselect={(ids) => setSelected((now) => new Set([...now].filter((id) => !ids.has(id))))}
          />
        )}
      </div>
      <div className={`${css.sheet} ${columns.isChosen ? '' : css.usual}`} aria-busy={isPending || isPlaceholderData}>
        {isPending && <Skeleton label={t.loading} rows={12} />}
        {error && !data && <ErrorState error={error} retry={refetch} />}
        {isEmpty && (isFiltered ? <NothingMatches /> : <NoParcels />)}
        {data && !isEmpty && (
          <ShipmentList
            rows={rows}
            columns={columns.shown}
            pages={{
              read: data.pages.length,
              hasMore: list.hasNextPage && !isPlaceholderData,
              hasFailed: list.isFetchNextPageError,
              readNext,
            }}
            selected={selected}
            onSelect={toggle}
            onRetrack={retrack}
          />
        )}
      </div>
      {open !== null && (
        <ShipmentDrawer
          id={open}
          among={rows}
          onSelect={toggle}
          isSelected={selected.has(open)}
          onShow={(id) => address.set({ open: id }, { replace: true })}
          onClose={() => address.close({ open: null, tab: null, edit: null })}
        />
      )}
    </>
  );
}

/** Checks the parcel of a row with its carrier now. */
function useRetrackOne(): (id: string) => void {
  const t = useText().shipment;
  const client = useClient();
  const toastFailure = useToastFailure();
  return (id) => {
    client.trackings.retrack(id).then(
      () => toast(t.checking),
      (error: unknown) => (isRetrackTooSoon(error) ? toast(t.checkedLately) : toastFailure(error)),
    );
  };
}
