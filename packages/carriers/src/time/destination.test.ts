import { PROVIDERS } from '../providers/index.ts';
import { response } from '../testing/parsed.ts';
import { spoken } from '../testing/spoken.ts';
import { regionOf } from './region.ts';

const NUMBER = '123456789012';
const OHIO = { city: 'TOLEDO', stateOrProvinceCode: 'OH', countryCode: 'US' };
const AFTERSHIP = 'data.trackings.0';

/** Where each API names the place to which a parcel goes, and the region that follows from it. */
const PLACES: [provider: string, carrier: string, at: string, place: object, destination: string, region?: string][] = [
  [
    'ups',
    'ups',
    'trackResponse.shipment.0.package.0',
    {
      packageAddress: [
        { type: 'ORIGIN', address: { city: 'RENO', stateProvince: 'NV', countryCode: 'US' } },
        { type: 'DESTINATION', address: { city: 'TOLEDO', stateProvince: 'OH', countryCode: 'US' } },
      ],
    },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'fedex',
    'fedex',
    'output.completeTrackResults.0.trackResults.0',
    { recipientInformation: { address: OHIO } },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'fedex',
    'fedex',
    'output.completeTrackResults.0.trackResults.0',
    { destinationLocation: { locationContactAndAddress: { address: OHIO } } },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  ['usps', 'usps', '0', { destinationCity: 'TOLEDO', destinationState: 'OH' }, 'TOLEDO, OH, US', 'US-OH'],
  [
    'dhl-unified',
    'dhl',
    'shipments.0',
    { destination: { address: { addressLocality: 'Toledo', countryCode: 'ES' } } },
    'Toledo, ES',
  ],
  [
    '17track',
    'china-post',
    'data.accepted.0.track_info',
    { shipping_info: { recipient_address: { country: 'US', state: 'OH', city: 'TOLEDO' } } },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'trackingmore',
    'usps',
    'data.0',
    { destination_city: 'TOLEDO', destination_state: 'OH', destination_country: 'US' },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  ['ship24', 'usps', 'data.trackings.0.shipment', { destinationCountryCode: 'DE' }, 'DE', 'DE'],
  [
    'aftership',
    'usps',
    AFTERSHIP,
    { destination_city: 'TOLEDO', destination_state: 'OH', destination_country_region: 'USA' },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  ['aftership', 'usps', AFTERSHIP, { destination_raw_location: 'TOLEDO, OH, US' }, 'TOLEDO, OH, US', 'US-OH'],
  [
    'easypost',
    'usps',
    'trackers.0',
    { carrier_detail: { destination_tracking_location: { city: 'TOLEDO', state: 'OH', country: 'US' } } },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'postnord',
    'postnord',
    'TrackingInformationResponse.shipments.0',
    { consignee: { address: { city: 'Lund', countryCode: 'SE' } } },
    'Lund, SE',
    'SE',
  ],
  ['la-poste', 'colissimo', 'shipment', { contextData: { arrivalCountry: 'BR' } }, 'BR', 'BR'],
];

test.each(
  PLACES.map(([provider, carrier, at, place, destination, region = '']) => ({
    provider,
    carrier,
    at,
    place,
    destination,
    region,
  })),
)(
  '$provider ($carrier) says where a parcel goes, for estimates',
  ({ provider, carrier, at, place, destination, region }) => {
    const answer = spoken(provider, { number: NUMBER, scans: [{ text: 'Moved', kind: 'moving' }] });
    const body = JSON.parse('text' in answer ? answer.text : '');
    Object.assign(
      at.split('.').reduce((inside, name) => inside[name], body),
      place,
    );
    const [read] =
      PROVIDERS.find(({ name }) => name === provider)?.parse(response(body), [{ number: NUMBER, carrier }]) ?? [];
    expect(read).toMatchObject({ kind: 'found', destination });
    // Without one, the place cannot be distinguished from one in the carrier's home country.
    if (region) expect(regionOf(destination, carrier)).toBe(region);
  },
);
