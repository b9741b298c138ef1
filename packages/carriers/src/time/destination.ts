import { type Place, placeText } from './local-time.ts';

/** The destination of a parcel in an answer, for estimates (`Found.destination`); empty if it does not say. */
export function destinationAt(place: Place): { destination?: string } {
  const destination = placeText(place).trim();
  return destination === '' ? {} : { destination };
}
