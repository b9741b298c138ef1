import { type Place, placeText } from './local-time.ts';

/** Where an answer says that a parcel goes, for estimates (`Found.destination`); nothing if it does not say. */
export function destinationAt(place: Place): { destination?: string } {
  const destination = placeText(place).trim();
  return destination === '' ? {} : { destination };
}
