import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { failed, failureOfStatus, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, partOf, textOf } from '../../http/json.ts';
import { codeTable, REFUSED, type ReadScan, undeliverable, wordsOf } from '../../texts/meaning.ts';
import { destinationAt, pickupPointAt } from '../../time/place.ts';
import { resolveTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'InPost';
const POLAND = 'Europe/Warsaw';

/**
 * Reads the answer to one `v1/tracking` call: a parcel with its statuses, each a code and a time. Texts exist only as
 * titles of the codes.
 */
export function parseTracking(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return read;
  const { body: parcel, status } = read;
  if (textOf(parcel, 'tracking_number') === '') return refusal(parcel, status);
  return answerByNumber(requested, [parcel], {
    provider: TITLE,
    numbersOf: () => [textOf(parcel, 'tracking_number')],
    answerOf,
  });
}

/** `{status, error, message}`, for example `resource_not_found`. */
function refusal(body: JsonObject, httpStatus: number): CarrierAnswer {
  const error = textOf(body, 'error');
  if (/not_found/.test(error)) return { kind: 'not_found' };
  const stated = Number(codeOf(body, 'status') || httpStatus);
  const message = `${TITLE} answered ${error || 'no parcel'}: ${textOf(body, 'message')}`;
  if (stated === 400) return failed('invalid_number', message);
  return failed(stated > 400 ? failureOfStatus(stated) : 'unreadable', message);
}

function answerOf(parcel: JsonObject): CarrierAnswer {
  const machine = partOf(partOf(parcel, 'custom_attributes'), 'target_machine_detail');
  const [point, location] = [partOf(machine, 'address'), partOf(machine, 'location')];
  const [line1, line2] = [textOf(point, 'line1'), textOf(point, 'line2')];
  return answerFrom(listIn(parcel, 'tracking_details').map(scanOf), TITLE, {
    state: meaningOf(textOf(parcel, 'status')),
    pickupPoint: pickupPointAt({
      name: [textOf(machine, 'name'), textOf(machine, 'location_description')].filter((text) => text !== '').join(', '),
      address: [line1, line2].filter((text) => text !== '').join(', '),
      openingHours: textOf(machine, 'opening_hours'),
      ...(typeof location.latitude === 'number' && typeof location.longitude === 'number'
        ? { latitude: location.latitude, longitude: location.longitude }
        : {}),
    }),
    ...destinationAt({ locality: line2, country: 'PL' }),
  });
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const code = textOf(value, 'status');
  const timeRaw = textOf(value, 'datetime');
  const resolved = resolveTime(timeRaw, POLAND, 'location');
  const location = textOf(value, 'location') || textOf(value, 'agency');
  const meaning = INFORMS.has(code) ? 'informational' : (meaningOf(code) ?? 'silent');
  return resolved && { scan: { ...resolved, timeRaw, location, description: wordsOf(code) }, meaning, code };
}

/** Something was asked for or planned, and the parcel is where it was. */
const INFORMS: ReadonlySet<string> = new Set([
  'redirect_to_box',
  'canceled_redirect_to_box',
  'readdressed',
  'claimed',
  'return_pickup_confirmation_to_sender',
]);

/** The statuses of https://api-shipx-pl.easypack24.net/v1/statuses; `other` and `missing` say nothing. */
export const meaningOf = codeTable({
  created: 'info_received',
  offers_prepared: 'info_received',
  offer_selected: 'info_received',
  confirmed: 'info_received',
  dispatched_by_sender: 'in_transit', // in a locker
  dispatched_by_sender_to_pok: 'in_transit', // at a point
  collected_from_sender: 'in_transit',
  taken_by_courier: 'in_transit',
  taken_by_courier_from_pok: 'in_transit',
  taken_by_courier_from_customer_service_point: 'in_transit',
  adopted_at_source_branch: 'in_transit',
  sent_from_source_branch: 'in_transit',
  adopted_at_sorting_center: 'in_transit',
  sent_from_sorting_center: 'in_transit',
  adopted_at_target_branch: 'in_transit',
  unstack_from_customer_service_point: 'in_transit',
  unstack_from_box_machine: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  out_for_delivery_to_address: 'out_for_delivery',
  ready_to_pickup: 'available_for_pickup',
  ready_to_pickup_from_pok: 'available_for_pickup',
  ready_to_pickup_from_pok_registered: 'available_for_pickup',
  ready_to_pickup_from_branch: 'available_for_pickup',
  pickup_reminder_sent: 'available_for_pickup',
  pickup_reminder_sent_address: 'available_for_pickup',
  stack_in_box_machine: 'available_for_pickup', // in another locker for the time being
  stack_in_customer_service_point: 'available_for_pickup',
  courier_avizo_in_customer_service_point: 'available_for_pickup',
  delivered: 'delivered',
  avizo: 'recipient_unavailable',
  delay_in_delivery: 'delayed',
  oversized: 'exception', // of no kind
  canceled: 'cancelled',
  undelivered: 'failed_attempt',
  undelivered_cod_cash_receiver: 'payment',
  undelivered_lack_of_access_letterbox: 'failed_attempt',
  undelivered_no_mailbox: undeliverable('address'),
  undelivered_wrong_address: undeliverable('address'),
  undelivered_incomplete_address: undeliverable('address'),
  undelivered_unknown_receiver: undeliverable('address'),
  undelivered_not_live_address: undeliverable('address'),
  pickup_time_expired: undeliverable('recipient_unavailable'),
  stack_parcel_pickup_time_expired: undeliverable('recipient_unavailable'),
  stack_parcel_in_box_machine_pickup_time_expired: undeliverable('recipient_unavailable'),
  rejected_by_receiver: REFUSED,
  returned_to_sender: 'returned',
});
