import { type Attention, attentionOf } from '@pts/core/attention/attention';
import type { Language } from '@pts/core/languages/language';
import { toUtcSeconds } from '@pts/core/time';
import { toTrackingEvent } from '@pts/core/tracking/scan';
import type { ShipmentRow } from '@pts/db/shipments/shipment';
import { viewTexts } from '../trackings/view.ts';

/** A row of a list, at this moment. Optional parts appear only if there is something to say. */
export function viewShipment(row: ShipmentRow, now: Date, language: Language | null) {
  const { latestEvent, estimate, orderId, title } = row;
  const attention: Attention | null = attentionOf(row, now);
  return {
    id: row.id,
    tracking_number: row.trackingNumber,
    carrier: row.carrier,
    status: row.status,
    sub_status: row.subStatus,
    ...viewTexts(row, language),
    latest_event: latestEvent && toTrackingEvent(latestEvent),
    ...(orderId && { order_id: orderId }),
    ...(title && { title }),
    ...(estimate && { estimated_delivery: estimate }),
    ...(attention && { attention }),
    created_at: toUtcSeconds(row.createdAt),
    updated_at: toUtcSeconds(row.updatedAt),
  };
}
