import { useTracking } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { PageHead } from '../../ui/page.tsx';
import { Detail } from './detail.tsx';
import { TrackingNumber } from './tracking-number.tsx';

/** A parcel on a page of its own. */
export function ShipmentPage({ id }: { id: string }) {
  const t = useText().shipment;
  const { data } = useTracking(id);
  return (
    <>
      <PageHead
        title={data ? <TrackingNumber>{data.tracking_number}</TrackingNumber> : t.title}
        name={data?.tracking_number ?? t.title}
      />
      <Detail id={id} after="/shipments" />
    </>
  );
}
