import { Link } from 'wouter';
import { useTracking } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Detail } from './detail.tsx';

/** A parcel over the list that it was chosen from. */
export function ShipmentDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const t = useText().shipment;
  const { data } = useTracking(id);
  return (
    <Dialog
      as="drawer"
      title={data?.tracking_number ?? t.title}
      beside={data && <Copy value={data.tracking_number} />}
      onClose={onClose}
    >
      <Detail id={id} after={null} onGone={onClose} />
      <p>
        <Link href={`/shipments/${id}`}>{t.asPage}</Link>
      </p>
    </Dialog>
  );
}
