import type { Shipment } from '@pts/client/types';
import { startOfDay } from './range.ts';

export type Estimate = NonNullable<Shipment['estimated_delivery']>;

/** Estimates are dates without a time, or instants. */
export function isDay(text: string): boolean {
  return text.length === 'YYYY-MM-DD'.length;
}

/** Whether a parcel should have arrived by `now`, in milliseconds. A date ends with its day in the time zone of the reader. */
export function isLate({ to }: Estimate, now: number): boolean {
  return (isDay(to) ? startOfDay(new Date(`${to}T00:00`), 1) : new Date(to)).getTime() <= now;
}
