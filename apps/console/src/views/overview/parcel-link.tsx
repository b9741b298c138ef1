import { Link } from 'wouter';
import { Copy } from '../../ui/copy.tsx';
import { Time } from '../../ui/time.tsx';
import css from './overview.module.css';

type ParcelLinkProps = { id: string; tracking_number: string; updated_at: string };

/** The number of a parcel, which leads to it, and when it changed. */
export function ParcelLink({ id, tracking_number, updated_at }: ParcelLinkProps) {
  return (
    <>
      <Link href={`/shipments/${id}`} className={css.number} data-row="">
        {tracking_number}
      </Link>
      <span className={css.copy}>
        <Copy value={tracking_number} />
      </span>
      <span className={css.when}>
        <Time at={updated_at} />
      </span>
    </>
  );
}
