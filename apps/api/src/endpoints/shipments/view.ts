import { writerOf } from '@pts/carriers/texts/writer';
import { type Attention, attentionOf } from '@pts/core/attention';
import { type Language, languageOfText } from '@pts/core/languages/texts';
import { toUtcSeconds } from '@pts/core/time';
import { toTrackingEvent } from '@pts/core/tracking/scan';
import type { ShipmentRow } from '@pts/db/shipments/shipment';
import type { ApiDeps } from '../../deps.ts';
import { viewTexts } from '../trackings/view.ts';

/** A row of a list, at this moment. Optional parts appear only if there is something to say. */
export function viewShipment(
  row: ShipmentRow,
  { providers, language, now }: Pick<ApiDeps, 'providers'> & { language: Language | null; now: Date },
) {
  const { latestEvent, estimate, orderId, title } = row;
  const attention: Attention | null = attentionOf(row, now);
  const writtenIn = language && latestEvent && languageOfText(latestEvent.description, writerOf(row, providers));
  return {
    id: row.id,
    tracking_number: row.trackingNumber,
    carrier: row.carrier,
    status: row.status,
    sub_status: row.subStatus,
    ...viewTexts(row, language),
    latest_event: latestEvent && toTrackingEvent(latestEvent),
    ...(writtenIn && { latest_event_lang: writtenIn }),
    ...(orderId && { order_id: orderId }),
    ...(title && { title }),
    ...(estimate && { estimated_delivery: estimate }),
    ...(attention && { attention }),
    created_at: toUtcSeconds(row.createdAt),
    updated_at: toUtcSeconds(row.updatedAt),
  };
}
