import type { Shipment } from '@pts/client/types';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, memo, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { OPENED } from '../../behaviour/address.ts';
import { type Estimate, isLate } from '../../behaviour/dates.ts';
import { moveRow, useHotkeys } from '../../behaviour/typing.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { CarrierName } from '../../ui/carrier.tsx';
import { Copy } from '../../ui/copy.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { CarrierText, ParcelName, Reason } from '../../ui/words.tsx';
import type { Column } from './columns.ts';
import css from './shipments.module.css';

type ShipmentListProps = {
  rows: readonly Shipment[];
  columns: readonly Column[];
  /** The pages that the rows are from, and whether there are more. A page may have no rows. */
  pages: { read: number; hasMore: boolean; hasFailed: boolean; readNext(): unknown };
  selected: ReadonlySet<string>;
  onSelect(id: string): void;
  onRetrack(id: string): void;
};

const ROW_PX = 36;
const TOUCH_ROW_PX = 40;
const NARROW_ROW_PX = 64;
/** The next page is read when this many rows are left. */
const AHEAD = 40;

/** A list of any length: only the rows in sight are drawn. */
export function ShipmentList({ rows, columns, pages, selected, onSelect, onRetrack }: ShipmentListProps) {
  const t = useText().shipments;
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const isNarrow = useMedia('(max-width: 1099px)');
  const isTouch = useMedia('(pointer: coarse)');
  const rowPx = isNarrow ? NARROW_ROW_PX : isTouch ? TOUCH_ROW_PX : ROW_PX;
  // What is above the list may grow: filters, chips.
  useLayoutEffect(() => {
    const above = new ResizeObserver(() => setTop(list.current?.offsetTop ?? 0));
    above.observe(document.body);
    return () => above.disconnect();
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are measured again
  useLayoutEffect(() => virtual.measure(), [rowPx]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { read, hasMore, hasFailed, readNext } = pages;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that is read may ask for the next one
  useEffect(() => {
    if (hasMore && !hasFailed && last >= rows.length - AHEAD) readNext();
  }, [hasMore, hasFailed, last, rows.length, read, readNext]);

  const withFocused = (act: (id: string) => void) => () => {
    const id = focusedRow();
    if (id) act(id);
  };
  useHotkeys({
    j: () => moveRow(1),
    k: () => moveRow(-1),
    x: withFocused(onSelect),
    r: withFocused(onRetrack),
  });

  return (
    <>
      <div className={`${css.row} ${css.headRow}`} aria-hidden="true">
        <span className={css.pick} />
        <span className={`${css.cell} ${css.status}`}>{t.status}</span>
        <span className={`${css.cell} ${css.number}`}>{t.number}</span>
        {columns.map((column) => (
          <span key={column} className={`${css.cell} ${css[column]}`}>
            {t.columnNames[column]}
          </span>
        ))}
      </div>
      <ul ref={list} aria-label={t.title} className={css.body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start, size }) => {
          const shipment = rows[index];
          return (
            shipment && (
              <ShipmentRow
                key={key}
                shipment={shipment}
                columns={columns}
                at={index + 1}
                of={hasMore ? -1 : rows.length}
                top={start - virtual.options.scrollMargin}
                height={size}
                isSelected={selected.has(shipment.id)}
                onSelect={onSelect}
              />
            )
          );
        })}
      </ul>
      {hasMore && (
        <p className={css.more}>
          {hasFailed ? (
            <Button onClick={() => readNext()}>{t.loadMore}</Button>
          ) : rows.length === 0 ? (
            t.further
          ) : (
            t.loading
          )}
        </p>
      )}
    </>
  );
}

/** The id of the row that has the focus. */
function focusedRow(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-id]')?.dataset.id;
}

type ShipmentRowProps = {
  shipment: Shipment;
  columns: readonly Column[];
  /** Its place in the whole list, from 1, and the length of the list; -1: not known. */
  at: number;
  of: number;
  /** In pixels, from the top of the list. */
  top: number;
  height: number;
  isSelected: boolean;
  onSelect(id: string): void;
};

/**
 * A row is a link to its parcel: a plain press opens it over the list, any other as a page. It is memoized: while the
 * list is scrolled, the rows in sight stay as they are.
 */
const ShipmentRow = memo(({ shipment, columns, at, of, top, height, isSelected, onSelect }: ShipmentRowProps) => {
  const t = useText().shipments;
  const [, navigate] = useLocation();
  const { id, tracking_number, sub_status } = shipment;
  const openOver = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const params = new URLSearchParams(location.search);
    params.set('open', id);
    navigate(`/shipments?${params}`, { state: OPENED });
  };
  return (
    <li
      aria-posinset={at}
      aria-setsize={of}
      data-id={id}
      className={`${css.row} ${css.dataRow}`}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <span className={`${css.cell} ${css.pick}`}>
        <label className={css.tick}>
          <input type="checkbox" checked={isSelected} onChange={() => onSelect(id)} />
          <span className="unseen">{t.selectOne(tracking_number)}</span>
        </label>
      </span>
      <span className={`${css.cell} ${css.status}`}>
        <StatusPill status={sub_status} />
      </span>
      <span className={`${css.cell} ${css.number}`}>
        <Link href={`/shipments/${id}`} className={css.link} data-row="" onClick={openOver}>
          {tracking_number}
        </Link>
        <span className={css.copy}>
          <Copy value={tracking_number} />
        </span>
      </span>
      {columns.map((column) => (
        <Cell key={column} column={column} shipment={shipment} />
      ))}
    </li>
  );
});

function Cell({ column, shipment }: { column: Column; shipment: Shipment }) {
  const t = useText().shipments;
  const { carrier, title, order_id, estimated_delivery: estimate, created_at, updated_at } = shipment;
  const name = [title, order_id].filter(Boolean).join(' · ');
  switch (column) {
    case 'carrier':
      return (
        <span className={`${css.cell} ${css.carrier}`}>
          <CarrierName code={carrier} />
        </span>
      );
    case 'name':
      return (
        <span className={`${css.cell} ${css.name}`} title={name} dir="auto">
          <ParcelName title={title} order_id={order_id} />
        </span>
      );
    case 'latest':
      return (
        <span className={`${css.cell} ${css.latest}`} title={textOf(shipment) ?? undefined}>
          <Latest shipment={shipment} />
        </span>
      );
    case 'expected':
      return estimate ? <Expected estimate={estimate} /> : <span className={css.expected} />;
    case 'created':
      return (
        <span className={`${css.cell} ${css.created}`}>
          <span className="unseen">{t.columnNames.created} </span>
          <Time at={created_at} />
        </span>
      );
    case 'when':
      return (
        <span className={`${css.cell} ${css.when}`}>
          <Time at={updated_at} />
        </span>
      );
    default:
      return column satisfies never;
  }
}

/** Why it needs attention, before what happened last. */
function Latest({ shipment }: { shipment: Shipment }) {
  const t = useText().shipments;
  const { attention, latest_event_lang: lang } = shipment;
  const text = textOf(shipment);
  return (
    <>
      {attention && (
        <>
          <Reason attention={attention} />{' '}
        </>
      )}
      {text === null ? <span className={css.muted}>{t.noScan}</span> : <CarrierText lang={lang}>{text}</CarrierText>}
    </>
  );
}

/** The last event with its place; null: none yet. */
function textOf({ latest_event: latest }: Shipment): string | null {
  return latest && [latest.description, latest.location].filter(Boolean).join(' · ');
}

/** When a parcel is expected: the carrier's date, or our estimate, marked as such. */
function Expected({ estimate }: { estimate: Estimate }) {
  const text = useText();
  const t = text.shipments;
  const format = useFormat();
  const now = useNow();
  const isOverdue = isLate(estimate, now);
  const when = isOverdue ? format.date(estimate.to) : format.expectedShort(estimate, now);
  const source = estimate.source === 'carrier' ? text.shipment.byCarrier : text.shipment.byHistory;
  const sentence = isOverdue ? text.shipment.wasExpected : text.shipment.expected;
  const words = isOverdue ? t.late(when) : estimate.source === 'carrier' ? when : t.estimated(when);
  return (
    <span
      className={`${css.cell} ${css.expected} ${isOverdue ? css.late : ''}`}
      title={sentence(format.expected(estimate, now), source)}
    >
      <span className="unseen">{t.expected} </span>
      {words}
    </span>
  );
}

/** Whether a media query holds. */
function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
