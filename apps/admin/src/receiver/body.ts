import type { TrackingEvent } from '@pts/core/tracking/scan';

/** The contents of a push as far as they can be parsed: the receiver shows anything. */
export type Content = {
  event: string | null;
  parcel: { id: string | null; number: string | null; status: string | null; subStatus: string | null };
  /** The sequence number of the event within its parcel. */
  seq: number | null;
  latest: TrackingEvent | null;
  /** The parsed body, or its text if it is not JSON. */
  body: unknown;
};

type Fields = Record<string, unknown>;

export function readBody(rawBody: Uint8Array): Content {
  const body = parse(Buffer.from(rawBody).toString('utf8'));
  const fields = fieldsOf(body);
  const data = fieldsOf(fields.data);
  return {
    event: text(fields.event),
    parcel: {
      id: text(data.id),
      number: text(data.tracking_number),
      status: text(data.status),
      subStatus: text(data.sub_status),
    },
    seq: typeof data.seq === 'number' ? data.seq : null,
    latest: latestOf(data.events),
    body,
  };
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The newest event by time; of several with the same time, the last in the list. */
function latestOf(events: unknown): TrackingEvent | null {
  if (!Array.isArray(events)) return null;
  const read = events.map(fieldsOf).map(({ time, location, description, status }) => ({
    time: text(time) ?? '',
    location: text(location) ?? '',
    description: text(description) ?? '',
    status: text(status) ?? '',
  }));
  return read.reduce<TrackingEvent | null>((last, event) => (last && last.time > event.time ? last : event), null);
}
