// biome-ignore-all lint/a11y/useSemanticElements: rows of a table element that are placed one by one lose their role
// biome-ignore-all lint/a11y/useFocusableInteractive: the link of a row has its focus
import type { Shipment } from '@pts/client/types';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { OPENED } from '../../behaviour/address.ts';
import { type Estimate, isLate } from '../../behaviour/dates.ts';
import { useMedia } from '../../behaviour/media.ts';
import { moveRow, useHotkeys } from '../../behaviour/typing.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { CarrierMark, CarrierName } from '../../ui/carrier.tsx';
import { Copy } from '../../ui/copy.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { CarrierText, Reason } from '../../ui/words.tsx';
import type { Column } from './columns.ts';
import css from './shipments.module.css';

type ShipmentListProps = {
  rows: readonly Shipment[];
  columns: readonly Column[];
  /** The pages that the rows are from, and whether there are more. A page may have no rows. */
  pages: { read: number; hasMore: boolean; hasFailed: boolean; readNext(): unknown };
  selected: ReadonlySet<string>;
  onSelect(id: string): void;
  /** Selects all rows that are read, or none. */
  onSelectAll(isSelected: boolean): void;
  onRetrack(id: string): void;
  /** The parcel that is open beside the list; null: none. */
  open: string | null;
  onOpen(id: string): void;
};

const ROW_PX = 36;
const TOUCH_ROW_PX = 40;
const NARROW_ROW_PX = 64;
/** A list that is narrower has rows of two lines; its style sheet says so, too. */
const WIDE_PX = 900;
/** The next page is read when this many rows are left. */
const AHEAD = 40;

/** A list of any length: only the rows in sight are drawn. */
export function ShipmentList(props: ShipmentListProps) {
  const { rows, columns, pages, selected, onSelect, onSelectAll, onRetrack, open, onOpen } = props;
  const text = useText();
  const t = text.shipments;
  const list = useRef<HTMLDivElement>(null);
  // A guess that is right without a parcel beside the list: Back scrolls before the list is measured.
  const [{ top, isNarrow }, setPlace] = useState(() => ({
    top: 0,
    isNarrow: matchMedia('(max-width: 1099px)').matches,
  }));
  const isTouch = useMedia('(pointer: coarse)');
  const rowPx = isNarrow ? NARROW_ROW_PX : isTouch ? TOUCH_ROW_PX : ROW_PX;
  // What is above the list may grow: filters, chips. A parcel beside it makes it narrower.
  useLayoutEffect(() => {
    const measure = () => {
      const { offsetTop = 0, clientWidth = 0 } = list.current ?? {};
      const sheet = list.current?.closest('[role=table]')?.parentElement;
      setPlace({ top: offsetTop + (sheet?.offsetTop ?? 0), isNarrow: clientWidth < WIDE_PX });
    };
    const around = new ResizeObserver(measure);
    around.observe(document.body);
    if (list.current) around.observe(list.current);
    return () => around.disconnect();
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
    const id = focusedRow() ?? open;
    if (id) act(id);
  };
  const move = (step: 1 | -1) => () => {
    moveRow(step, open);
    const id = focusedRow();
    if (open !== null && id) onOpen(id);
  };
  useHotkeys({
    j: move(1),
    k: move(-1),
    x: withFocused(onSelect),
    r: withFocused(onRetrack),
  });

  const picked = rows.filter(({ id }) => selected.has(id)).length;
  return (
    <>
      <div role="table" aria-label={t.title} aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={`${css.row} ${css.headRow}`}>
            <span role="columnheader" className={css.pick}>
              <Tick
                label={t.selectAll(rows.length)}
                checked={picked > 0 && picked === rows.length}
                isPartial={picked > 0 && picked < rows.length}
                onChange={() => onSelectAll(picked < rows.length)}
              />
              <span className={css.pickAll} aria-hidden="true">
                {t.selectAll(rows.length)}
              </span>
            </span>
            <span role="columnheader" className={`${css.cell} ${css.status}`}>
              {t.status}
            </span>
            <span role="columnheader" className={`${css.cell} ${css.number}`}>
              {t.number}
            </span>
            {columns.map((column) => (
              <span key={column} role="columnheader" className={`${css.cell} ${css[column]}`}>
                {t.columnNames[column]}
              </span>
            ))}
          </div>
        </div>
        <div ref={list} role="rowgroup" className={css.body} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start, size }) => {
            const shipment = rows[index];
            return (
              shipment && (
                <ShipmentRow
                  key={key}
                  shipment={shipment}
                  columns={columns}
                  at={index + 2}
                  top={start - virtual.options.scrollMargin}
                  height={size}
                  isSelected={selected.has(shipment.id)}
                  isOpen={shipment.id === open}
                  onSelect={onSelect}
                />
              )
            );
          })}
        </div>
      </div>
      {hasMore && (
        <p className={css.more}>
          {hasFailed ? (
            <Button onClick={() => readNext()}>{t.loadMore}</Button>
          ) : rows.length === 0 ? (
            t.further
          ) : (
            text.loading
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
  /** Its place in the whole table, from 1; the heads of the columns have the first. */
  at: number;
  /** In pixels, from the top of the list. */
  top: number;
  height: number;
  isSelected: boolean;
  isOpen: boolean;
  onSelect(id: string): void;
};

/** A box to tick, as large as a finger. */
function Tick({
  label,
  checked,
  isPartial = false,
  onChange,
}: {
  label: string;
  checked: boolean;
  isPartial?: boolean;
  onChange(): void;
}) {
  return (
    <label className={css.tick}>
      <input
        type="checkbox"
        checked={checked}
        ref={(box) => {
          if (box) box.indeterminate = isPartial;
        }}
        onChange={onChange}
      />
      <span className="unseen">{label}</span>
    </label>
  );
}

/**
 * A row is a link to its parcel: a plain press opens it beside the list, any other as a page. It is memoized: while the
 * list is scrolled, the rows in sight stay as they are.
 */
const ShipmentRow = memo(({ shipment, columns, at, top, height, isSelected, isOpen, onSelect }: ShipmentRowProps) => {
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
    <div
      role="row"
      aria-rowindex={at}
      aria-selected={isSelected}
      aria-current={isOpen || undefined}
      data-id={id}
      className={`${css.row} ${css.dataRow}`}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <span role="cell" className={`${css.cell} ${css.pick}`}>
        <Tick label={t.selectOne(tracking_number)} checked={isSelected} onChange={() => onSelect(id)} />
      </span>
      <span role="cell" className={`${css.cell} ${css.status}`}>
        <StatusPill status={sub_status} />
      </span>
      <span role="cell" className={`${css.cell} ${css.number}`}>
        <Link href={`/shipments/${id}`} className={`covers ${css.link}`} data-row="" onClick={openOver}>
          {tracking_number}
        </Link>
        <span className={css.copy}>
          <Copy value={tracking_number} />
        </span>
      </span>
      {columns.map((column) => (
        <Cell key={column} column={column} shipment={shipment} />
      ))}
    </div>
  );
});

function Cell({ column, shipment }: { column: Column; shipment: Shipment }) {
  const { carrier, title, order_id, estimated_delivery: estimate, created_at, updated_at } = shipment;
  const cell = (children: ReactNode, more: { title?: string | undefined; dir?: 'auto' } = {}) => (
    <span role="cell" {...more} className={`${css.cell} ${css[column]}`}>
      {children}
    </span>
  );
  switch (column) {
    case 'carrier':
      return cell(
        <>
          <CarrierMark code={carrier} /> <CarrierName code={carrier} />
        </>,
      );
    case 'order':
      return cell(order_id, { title: order_id ?? undefined, dir: 'auto' });
    case 'name':
      return cell(title, { title: title ?? undefined, dir: 'auto' });
    case 'latest':
      return cell(<Latest shipment={shipment} />, { title: textOf(shipment) ?? undefined });
    case 'expected':
      return estimate ? <Expected estimate={estimate} /> : cell(null);
    case 'created':
      return cell(<Time at={created_at} />);
    case 'when':
      return cell(<Time at={updated_at} />);
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
      {text === null ? <span className="muted">{t.noScan}</span> : <CarrierText lang={lang}>{text}</CarrierText>}
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
      role="cell"
      className={`${css.cell} ${css.expected} ${isOverdue ? css.late : ''}`}
      title={sentence(format.expected(estimate, now), source)}
    >
      {words}
    </span>
  );
}
