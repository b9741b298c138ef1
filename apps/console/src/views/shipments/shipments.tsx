import { isRetrackTooSoon } from '@pts/client/errors';
import type { Shipment, ShipmentPage } from '@pts/client/types';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { daysOf, isPeriod, localDay, startOfDay } from '../../behaviour/dates.ts';
import { saveFile } from '../../behaviour/files.ts';
import { isSearchable } from '../../behaviour/numbers.ts';
import { useAccount, useMay } from '../../data/account.ts';
import { changesSince, MAX_CHANGES } from '../../data/changes.ts';
import { feed, forgetChanges } from '../../data/feed.ts';
import { refreshShipments, type ShipmentFilter, useShipments } from '../../data/shipments.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { endOfSession } from '../../session/session.ts';
import { useStore } from '../../session/store.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useCarrierName } from '../../ui/carrier.tsx';
import { Allowed } from '../../ui/may.tsx';
import { PageHead, sheet } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast, useToastFailure } from '../../ui/toast.tsx';
import { BulkBar } from '../bulk.tsx';
import { Samples } from '../samples.tsx';
import { ShipmentDrawer } from '../shipment/shipment.tsx';
import { columnsOf } from './columns.ts';
import { Filters, StatusTabs } from './filters.tsx';
import { ShipmentList } from './list.tsx';
import { FILTERS, type FilterName, FROM_TOP, filterValue, queryOf, type Reason } from './query.ts';
import { SelectionBar } from './selection-bar.tsx';
import css from './shipments.module.css';

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

  const selectAll = (isSelected: boolean) => setSelected(new Set(isSelected ? rows.map(({ id }) => id) : []));
  const show = (id: string) => address.set({ open: id, tab: null, edit: null }, { replace: true });

  return (
    <>
      <PageHead title={t.title}>
        <Allowed needs="write">
          <ButtonLink href="/shipments/add" look="primary">
            {t.add}
          </ButtonLink>
        </Allowed>
      </PageHead>
      <StatusTabs />
      <div className={css.tools}>
        <Filters chips={<Chips />} />
      </div>
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
      <div
        className={`${sheet} ${css.sheet} ${columns.isChosen ? '' : css.usual}`}
        aria-busy={isPending || isPlaceholderData}
      >
        {isPending && <Skeleton rows={12} />}
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
            onSelectAll={selectAll}
            onRetrack={retrack}
            open={open}
            onOpen={show}
          />
        )}
      </div>
      {open !== null && (
        <ShipmentDrawer
          id={open}
          among={rows}
          onSelect={toggle}
          isSelected={selected.has(open)}
          onShow={show}
          onClose={() => address.close({ open: null, tab: null, edit: null })}
        />
      )}
    </>
  );
}

/** Checks the parcel of a row with its carrier now. */
function useRetrackOne(): (id: string) => void {
  const may = useMay();
  const t = useText().shipment;
  const client = useClient();
  const toastFailure = useToastFailure();
  return (id) => {
    if (!may('write')) return;
    client.trackings.retrack(id).then(
      () => toast(t.checking),
      (error: unknown) => (isRetrackTooSoon(error) ? toast(t.checkedLately) : toastFailure(error)),
    );
  };
}

type NewsProps = {
  rows: readonly Shipment[];
  /** Since when the list shows what it shows, in milliseconds. */
  readAt: number;
  /** Whether some parcels of the account do not belong to the list. */
  isFiltered: boolean;
  isFetching: boolean;
};

/**
 * The lists are read again when the reader says so: no row moves by itself. What a filter leaves out is counted apart.
 */
function News({ rows, readAt, isFiltered, isFetching }: NewsProps) {
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

/** How many rows come before the last page that was read, and its cursor; null while there is only one page. */
type LastPage = { before: number; cursor: string } | null;

/** Links to the list from its last page on, and back to its top: a place far down has an address. */
function Place({ lastPage }: { lastPage: LastPage }) {
  const t = useText().shipments;
  const format = useFormat();
  const from = useAddress().get('from');
  return (
    <>
      {from !== null && <Link href={addressFrom(null)}>{t.fromTop}</Link>}
      {lastPage && (
        <Link href={addressFrom(lastPage.cursor)}>
          {from === null ? t.fromRow(format.number(lastPage.before + 1)) : t.fromFurther}
        </Link>
      )}
    </>
  );
}

function addressFrom(cursor: string | null): string {
  const params = new URLSearchParams(location.search);
  if (cursor === null) params.delete('from');
  else params.set('from', cursor);
  return `/shipments?${params}`;
}

type TotalProps = {
  /** The first page, which says how many there are. */
  page: ShipmentPage | undefined;
  isFiltered: boolean;
  /** Whether the page answers an earlier question. */
  isSearching: boolean;
};

/** How many match; the service counts up to a bound. */
function Total({ page, isFiltered, isSearching }: TotalProps) {
  const t = useText().shipments;
  const format = useFormat();
  const searched = useAddress().get('q')?.trim() ?? '';
  const { total, total_is_lower_bound: isLowerBound } = page ?? {};
  if (searched !== '' && !isSearchable(searched)) return <p className={css.total}>{t.tooShort}</p>;
  if (isSearching) return <p className={`${css.total} ${css.afterWait}`}>{t.searching}</p>;
  if (total === undefined) return <p className={css.total}>&nbsp;</p>;
  const count = isLowerBound ? t.orMore(format.number(total)) : format.number(total);
  return (
    <p className={css.total} role="status">
      {isFiltered ? t.matches(count, total) : t.inAll(count, total)}
    </p>
  );
}

/**
 * All shipments that match, as a file. The key goes with the request in a header, which a plain link could not send.
 */
function Export({ filter }: { filter: ShipmentFilter }) {
  const t = useText().shipments;
  const format = useFormat();
  const client = useClient();
  const toastFailure = useToastFailure();
  const [bytes, setBytes] = useState<number | null>(null);
  const ending = useRef<AbortController>(null);
  const run = async () => {
    ending.current = new AbortController();
    const signal = AbortSignal.any([ending.current.signal, endOfSession()]);
    setBytes(0);
    try {
      await saveFile(`shipments-${localDay(new Date())}.csv`, client.shipments.csv(filter, { signal }), setBytes);
    } catch (error) {
      if (!signal.aborted) toastFailure(error);
    } finally {
      setBytes(null);
    }
  };
  if (bytes === null)
    return (
      <Button look="quiet" onClick={run}>
        {t.export}
      </Button>
    );
  return (
    <Button look="quiet" onClick={() => ending.current?.abort()}>
      {t.exporting(format.bytes(bytes))}
    </Button>
  );
}

/** The filters in words, and a button that clears them. */
function NothingMatches() {
  const t = useText().shipments;
  const address = useAddress();
  const words = useFilterWords().map((filter) => filter.words);
  return (
    <EmptyState
      title={t.noMatch(words.join(' · '))}
      action={{ onClick: () => address.set(NO_FILTERS), label: t.clear }}
    />
  );
}

/** One sentence and one action; with the sandbox carrier, parcels to try. */
function NoParcels() {
  const t = useText().shipments;
  const may = useMay();
  const { data: account } = useAccount();
  return (
    <EmptyState
      title={account?.quota_used ? t.noneLeft : t.none}
      {...(may('write') && { action: { href: '/shipments/add', label: t.add } })}
      otherwise={<Samples />}
    >
      <p>
        {t.or} <Link href="/webhooks">{t.orWebhook}</Link> <Link href="/imports">{t.orFile}</Link>
      </p>
    </EmptyState>
  );
}

/** The filters of the address in words, in their order. */
function useFilterWords(): { name: FilterName; words: string }[] {
  const text = useText();
  const t = text.shipments;
  const format = useFormat();
  const nameOf = useCarrierName();
  const { get } = useAddress();
  const dayOf = (day: string) => (day === '' ? '…' : format.day(new Date(`${day}T00:00`)));
  const timeOf = (value: string) => {
    const days = daysOf(value);
    if (days) return `${dayOf(days.first)} – ${dayOf(days.last)}`;
    return isPeriod(value) ? t.periods[value] : value;
  };
  const statuses: Partial<Record<string, string>> = { ...text.status, ...text.subStatus, active: t.active };
  const wordsOf: Readonly<Record<FilterName, (value: string) => string>> = {
    q: (value) => `“${value.trim()}”`,
    status: (value) => statuses[value] ?? value,
    carrier: nameOf,
    needs_attention: (value) => (value === 'true' ? t.attention : text.attention[value as Reason]),
    created: (value) => `${t.created}: ${timeOf(value)}`,
    updated: (value) => `${t.updated}: ${timeOf(value)}`,
  };
  return FILTERS.flatMap((name) => {
    const value = filterValue(get, name);
    // A tab shows the overall status.
    const isShown = name === 'status' && value !== null && value in text.status;
    return value === null || value === '..' || isShown ? [] : { name, words: wordsOf[name](value) };
  });
}

/** Each filter as a button that removes it. */
function Chips() {
  const t = useText().shipments;
  const address = useAddress();
  const chips = useFilterWords();
  if (chips.length === 0) return null;
  return (
    <ul className={css.chips} aria-label={t.filters}>
      {chips.map(({ name, words }) => (
        <li key={name}>
          <button type="button" className={css.chip} onClick={() => address.set({ [name]: null, ...FROM_TOP })}>
            {words}
            <span aria-hidden="true">×</span>
            <span className="unseen"> {t.remove}</span>
          </button>
        </li>
      ))}
      <li>
        <Button look="quiet" onClick={() => address.set(NO_FILTERS)}>
          {t.clear}
        </Button>
      </li>
    </ul>
  );
}

const NO_FILTERS = { ...Object.fromEntries(FILTERS.map((name) => [name, null])), ...FROM_TOP };
