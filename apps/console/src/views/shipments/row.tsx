import type { Shipment } from '@pts/client/types';
import { type MouseEvent, memo } from 'react';
import { Link, useLocation } from 'wouter';
import { OPENED } from '../../behaviour/address.ts';
import { useText } from '../../i18n/language.ts';
import { CarrierName } from '../../ui/carrier-name.tsx';
import { Copy } from '../../ui/copy.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { Time } from '../../ui/time.tsx';
import { CarrierText } from '../../ui/words/carrier-text.tsx';
import { ParcelName } from '../../ui/words/parcel-name.tsx';
import { Reason } from '../../ui/words/reason.tsx';
import type { Column } from './columns.ts';
import { Expected } from './expected.tsx';
import css from './shipments.module.css';

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
 * A row is a link to its parcel: a plain press opens it over the list, any other as a page. It is memoized: while the list is
 * scrolled, the rows in sight stay as they are.
 */
export const ShipmentRow = memo(
  ({ shipment, columns, at, of, top, height, isSelected, onSelect }: ShipmentRowProps) => {
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
  },
);

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
