import type { Shipment } from '@pts/client/types';
import { Link } from 'wouter';
import { useText } from '../../i18n/language.ts';
import { CarrierText } from '../../ui/carrier-text.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { Time } from '../../ui/time.tsx';
import css from './overview.module.css';

type Line = Pick<Shipment, 'id' | 'tracking_number' | 'latest_event' | 'updated_at'> & {
  sub_status: string;
  key?: string;
};

/** A few parcels with their last scans. */
export function ParcelLines({ shipments }: { shipments: readonly Line[] }) {
  const t = useText().shipments;
  return (
    <ul>
      {shipments.map(({ key, id, tracking_number, sub_status, latest_event, updated_at }) => (
        <li key={key ?? id} className={css.line}>
          <StatusPill status={sub_status} />
          <Link href={`/shipments/${id}`} className={css.number} data-row="">
            {tracking_number}
          </Link>
          <span className={css.when}>
            <Time at={updated_at} />
          </span>
          <span className={css.text}>
            {latest_event ? <CarrierText>{latest_event.description}</CarrierText> : t.noScan}
          </span>
        </li>
      ))}
    </ul>
  );
}
