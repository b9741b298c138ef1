import { createTrackings } from '@pts/contract/batch';
import { id, trackingNumber } from '@pts/contract/common';
import { detectCarrier } from '@pts/contract/couriers';
import { explainTracking } from '@pts/contract/explain';
import type { Infer } from '@pts/contract/infer';
import { MAX_NUMBERS } from '@pts/contract/limits';
import { dryRun, getTrackings, registrationInputs, retrackTracking, type tracking } from '@pts/contract/trackings';
import { READS, tool, WRITES } from '../tool.ts';

/** Parcels of one answer: their histories are long. */
const MAX_READ = 10;
/** The newest events of a parcel. */
const MAX_EVENTS = 25;

const numberProperty = { ...trackingNumber, description: 'The tracking number, as printed.' } as const;
const idProperty = { ...id, description: 'The id of the parcel, from get_parcels or search_shipments.' } as const;
const { courier_code, phone, postal_code, destination_country, order_id, title } = registrationInputs;

export const detect = tool({
  name: 'detect_carrier',
  title: 'Detect the carrier of a number',
  description:
    'Names the carriers that a tracking number may belong to, best first, from its form alone. Use it to check a number before it is registered, or when a parcel was not found. Free: nothing is registered, and no carrier is asked.',
  hints: READS,
  contract: detectCarrier,
  inputSchema: { type: 'object', required: ['tracking_number'], properties: { tracking_number: numberProperty } },
  toInput: (given) => given,
  present: ({ candidates, ...rest }) => ({
    ...rest,
    candidates: candidates.map(({ courier_code, courier_name, confidence, trackable, tracking_required_fields }) => ({
      courier_code,
      courier_name,
      confidence,
      trackable,
      tracking_required_fields,
    })),
  }),
});

export const register = tool({
  name: 'register_parcels',
  title: 'Register parcels',
  description: `Registers up to ${MAX_NUMBERS} tracking numbers, whose carriers are then asked in the background. Use it when the user wants parcels to be followed. COSTS one unit of the monthly quota for each number that is new; numbers that are registered already cost nothing, and so do refused ones. Ask the user before you register many, or use dry_run first: it says what a call would cost and changes nothing. Read the result with get_parcels after about 15 seconds.`,
  hints: { ...WRITES, openWorldHint: true },
  contract: createTrackings,
  inputSchema: {
    type: 'object',
    required: ['parcels'],
    properties: {
      parcels: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_NUMBERS,
        description: 'The parcels.',
        items: {
          type: 'object',
          required: ['tracking_number'],
          properties: {
            tracking_number: { type: 'string', description: 'The tracking number, as printed.' },
            courier_code,
            phone,
            postal_code,
            destination_country,
            order_id,
            title,
          },
        },
      },
      dry_run: dryRun,
    },
  },
  toInput: ({ parcels, dry_run }) => (dry_run ? { trackings: parcels, dry_run } : parcels),
});

export const get = tool({
  name: 'get_parcels',
  title: 'Read parcels',
  description: `The status and the newest ${MAX_EVENTS} events of up to ${MAX_READ} registered parcels, by their tracking numbers. Use it for a question about a certain parcel; for lists and counts use search_shipments. Free.`,
  hints: READS,
  contract: getTrackings,
  inputSchema: {
    type: 'object',
    required: ['tracking_numbers'],
    properties: {
      tracking_numbers: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_READ,
        items: { type: 'string', maxLength: 60, pattern: '^[^,]*$', examples: ['YT8962646785999'] },
        description: 'The tracking numbers, as printed.',
      },
    },
  },
  toInput: ({ tracking_numbers }) => ({ tracking_numbers: tracking_numbers.join(',') }),
  present: ({ success, rejected }) => ({
    parcels: success.map(presentParcel),
    ...(rejected === undefined ? {} : { not_registered: rejected.map((one) => one.tracking_number) }),
  }),
});

/** The newest events; histories of some parcels have hundreds. */
function presentParcel({ events, previous_events, ...parcel }: Infer<typeof tracking>) {
  const omitted = events.length - MAX_EVENTS;
  return {
    ...parcel,
    events: events.slice(-MAX_EVENTS),
    ...(omitted > 0 ? { earlier_events_omitted: omitted } : {}),
    ...(previous_events === undefined ? {} : { previous_parcel_events: previous_events.length }),
  };
}

export const explain = tool({
  name: 'explain_parcel',
  title: 'Explain the state of a parcel',
  description:
    'Why a parcel is where it is in the service: why this carrier, when it was and will be checked, what the carrier answered last, what delays it. Use it when a parcel has no news, the wrong carrier or an unexpected status. Free: no carrier is asked.',
  hints: READS,
  contract: explainTracking,
  inputSchema: { type: 'object', required: ['id'], properties: { id: idProperty } },
  toInput: (given) => given,
  present: ({ scan_times, ...explanation }) => ({ ...explanation, scan_times: scan_times.slice(-MAX_EVENTS) }),
});

export const retrack = tool({
  name: 'retrack_parcel',
  title: 'Ask the carrier again',
  description:
    'Asks the carrier of a parcel now, and resumes tracking that has stopped. At most once an hour for each parcel (error 4113). Parcels are checked regularly by themselves: use it only if the user wants fresh news, or tracking has stopped. Free. Read the result with get_parcels after about 15 seconds.',
  hints: { ...WRITES, idempotentHint: false, openWorldHint: true },
  contract: retrackTracking,
  inputSchema: { type: 'object', required: ['id'], properties: { id: idProperty } },
  toInput: (given) => given,
});
