import { useTracking } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { Copy } from '../../ui/copy.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Detail } from './detail.tsx';

/** A parcel on a page of its own. */
export function ShipmentPage({ id }: { id: string }) {
  const { shipment: t, nav } = useText();
  const { data } = useTracking(id);
  return (
    <>
      <PageHead
        list={{ href: '/shipments', label: nav.shipments }}
        title={data?.tracking_number ?? t.title}
        beside={data && <Copy value={data.tracking_number} />}
      />
      <Detail id={id} after="/shipments" />
    </>
  );
}
