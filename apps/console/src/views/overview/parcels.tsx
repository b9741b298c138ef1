import type { ShipmentPage } from '@pts/client/types';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useText } from '../../i18n/language.ts';
import { CarrierText } from '../../ui/carrier-text.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import css from './overview.module.css';

const SHOWN = 10;

/** The first few parcels of a list, with their last scans. */
export function Parcels({ query, empty }: { query: UseQueryResult<ShipmentPage>; empty: string }) {
  const t = useText().shipments;
  const { data, error, isPending, refetch } = query;
  if (isPending) return <Skeleton label={t.loading} rows={4} />;
  if (!data) return <ErrorState error={error} retry={refetch} />;
  if (data.shipments.length === 0) return <p className={css.empty}>{empty}</p>;
  return (
    <ul>
      {data.shipments.slice(0, SHOWN).map(({ id, tracking_number, sub_status, latest_event, updated_at }) => (
        <li key={id} className={css.line}>
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
