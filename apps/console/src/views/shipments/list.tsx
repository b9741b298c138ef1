import type { Shipment } from '@pts/client/types';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { moveRow, useHotkeys } from '../../behaviour/hotkeys.ts';
import { useMedia } from '../../behaviour/media.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from './columns.ts';
import { ShipmentRow } from './row.tsx';
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
