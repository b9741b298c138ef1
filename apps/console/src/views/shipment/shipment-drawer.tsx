import { Link } from 'wouter';
import { useTracking } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Detail } from './detail.tsx';
import { TrackingNumber } from './tracking-number.tsx';

/** A parcel over the list that it was chosen from. */
export function ShipmentDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const t = useText().shipment;
  const { data } = useTracking(id);
  return (
    <Dialog
      as="drawer"
      title={data ? <TrackingNumber>{data.tracking_number}</TrackingNumber> : t.title}
      onClose={onClose}
    >
      <Detail id={id} after={null} onGone={onClose} />
      <p>
        <Link href={`/shipments/${id}`}>{t.asPage}</Link>
      </p>
    </Dialog>
  );
}
