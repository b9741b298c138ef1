import type { Shipment } from '@pts/client/types';
import { type MouseEvent, memo } from 'react';
import { Link, useLocation } from 'wouter';
import { useText } from '../../i18n/language.ts';
import { CarrierName } from '../../ui/carrier-name.tsx';
import { CarrierText } from '../../ui/carrier-text.tsx';
import { Copy } from '../../ui/copy.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { Reason } from '../../ui/reason.tsx';
import { Time } from '../../ui/time.tsx';
import { Expected } from './expected.tsx';
import css from './shipments.module.css';

type ShipmentRowProps = {
  shipment: Shipment;
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
export const ShipmentRow = memo(({ shipment, at, of, top, height, isSelected, onSelect }: ShipmentRowProps) => {
  const t = useText().shipments;
  const [, navigate] = useLocation();
  const {
    id,
    tracking_number,
    carrier,
    sub_status,
    updated_at,
    title,
    order_id,
    estimated_delivery: estimate,
  } = shipment;
  const openOver = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const params = new URLSearchParams(location.search);
    params.set('open', id);
    navigate(`/shipments?${params}`);
  };
  const name = [title, order_id].filter(Boolean).join(' · ');
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
      <span className={`${css.cell} ${css.carrier}`}>
        <CarrierName code={carrier} />
      </span>
      <span className={`${css.cell} ${css.name}`} title={name}>
        {name}
      </span>
      <span className={`${css.cell} ${css.latest}`}>
        <Latest shipment={shipment} />
      </span>
      {estimate ? <Expected estimate={estimate} /> : <span className={css.expected} />}
      <span className={`${css.cell} ${css.when}`}>
        <Time at={updated_at} />
      </span>
    </li>
  );
});

/** Why it needs attention, before what happened last. */
function Latest({ shipment }: { shipment: Shipment }) {
  const t = useText().shipments;
  const { attention, latest_event: latest, latest_event_lang: lang } = shipment;
  const text = latest && [latest.description, latest.location].filter(Boolean).join(' · ');
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
