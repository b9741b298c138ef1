import { PROVIDERS } from '../providers/index.ts';
import { response } from '../testing/parsed.ts';
import { regionOf } from './region.ts';

const TIME = '2031-04-01T10:00:00Z';
const XML_EVENT = `<occurrence><event-date>2031-04-01</event-date><event-time>10:00:00</event-time><event-description>Moved</event-description></occurrence>`;
const NUMBER = '123456789012';

/** An answer of each API that names where the parcel goes, and the region that follows from it. */
const ANSWERS: [provider: string, carrier: string, answer: unknown, destination: string, region: string | null][] = [
  [
    'ups',
    'ups',
    {
      trackResponse: {
        shipment: [
          {
            inquiryNumber: NUMBER,
            package: [
              {
                trackingNumber: NUMBER,
                packageAddress: [
                  { type: 'ORIGIN', address: { city: 'RENO', stateProvince: 'NV', countryCode: 'US' } },
                  { type: 'DESTINATION', address: { city: 'TOLEDO', stateProvince: 'OH', countryCode: 'US' } },
                ],
                activity: [{ gmtDate: '20310401', gmtTime: '100000', status: { type: 'I', description: 'Moved' } }],
              },
            ],
          },
        ],
      },
    },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  ['fedex', 'fedex', fedex({ recipientInformation: { address: ohio() } }), 'TOLEDO, OH, US', 'US-OH'],
  [
    'fedex',
    'fedex',
    fedex({ destinationLocation: { locationContactAndAddress: { address: ohio() } } }),
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'usps',
    'usps',
    [
      {
        ...{ trackingNumber: NUMBER, destinationCity: 'TOLEDO', destinationState: 'OH' },
        trackingEvents: [{ eventType: 'Moved', GMTTimestamp: TIME }],
      },
    ],
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'dhl-unified',
    'dhl',
    {
      shipments: [
        {
          ...{ id: NUMBER, destination: { address: { addressLocality: 'Toledo', countryCode: 'ES' } } },
          events: [{ timestamp: TIME, statusCode: 'transit', description: 'Moved' }],
        },
      ],
    },
    'Toledo, ES',
    null,
  ],
  [
    '17track',
    'china-post',
    {
      code: 0,
      data: {
        accepted: [
          {
            number: NUMBER,
            track_info: {
              shipping_info: { recipient_address: { country: 'US', state: 'OH', city: 'TOLEDO' } },
              latest_status: { status: 'InTransit' },
              tracking: { providers: [{ events: [{ time_utc: TIME, description: 'Moved' }] }] },
            },
          },
        ],
      },
    },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'trackingmore',
    'usps',
    {
      meta: { code: 200 },
      data: [
        {
          ...{ tracking_number: NUMBER, courier_code: 'usps', delivery_status: 'transit' },
          ...{ destination_city: 'TOLEDO', destination_state: 'OH', destination_country: 'US' },
          origin_info: { trackinfo: [{ checkpoint_date: TIME, tracking_detail: 'Moved' }] },
        },
      ],
    },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'ship24',
    'usps',
    {
      data: {
        trackings: [
          {
            tracker: { trackingNumber: NUMBER },
            shipment: { statusMilestone: 'in_transit', destinationCountryCode: 'DE' },
            events: [{ occurrenceDatetime: TIME, status: 'Moved' }],
          },
        ],
      },
    },
    'DE',
    'DE',
  ],
  [
    'aftership',
    'usps',
    afterShip({ destination_city: 'TOLEDO', destination_state: 'OH', destination_country_region: 'USA' }),
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'aftership',
    'dhl',
    afterShip({ destination_city: 'MADRID', destination_country_region: 'ESP' }),
    'MADRID, ES',
    'ES',
  ],
  ['aftership', 'usps', afterShip({ destination_raw_location: 'TOLEDO, OH, US' }), 'TOLEDO, OH, US', 'US-OH'],
  [
    'easypost',
    'usps',
    {
      trackers: [
        {
          ...{ tracking_code: NUMBER, carrier: 'USPS', status: 'in_transit' },
          carrier_detail: { destination_tracking_location: { city: 'TOLEDO', state: 'OH', country: 'US' } },
          tracking_details: [{ datetime: TIME, message: 'Moved' }],
        },
      ],
    },
    'TOLEDO, OH, US',
    'US-OH',
  ],
  [
    'postnord',
    'postnord',
    {
      TrackingInformationResponse: {
        shipments: [
          {
            ...{ shipmentId: NUMBER, status: 'EN_ROUTE', consignee: { address: { city: 'Lund', countryCode: 'SE' } } },
            items: [{ itemId: NUMBER, events: [{ eventTime: TIME, eventDescription: 'Moved', status: 'EN_ROUTE' }] }],
          },
        ],
      },
    },
    'Lund, SE',
    'SE',
  ],
  [
    'la-poste',
    'colissimo',
    {
      returnCode: 200,
      shipment: {
        idShip: NUMBER,
        contextData: { arrivalCountry: 'BR' },
        event: [{ date: TIME, code: 'ET1', label: 'Moved' }],
      },
    },
    'BR',
    'BR',
  ],
];

function ohio() {
  return { city: 'TOLEDO', stateOrProvinceCode: 'OH', countryCode: 'US' };
}

function fedex(more: object) {
  const scanEvents = [{ date: TIME, eventType: 'IT', eventDescription: 'Moved' }];
  const trackResults = [{ scanEvents, ...more }];
  return { output: { completeTrackResults: [{ trackingNumber: NUMBER, trackResults }] } };
}

function afterShip(more: object) {
  const checkpoints = [{ checkpoint_time: TIME, message: 'Moved', tag: 'InTransit' }];
  const tracking = { tracking_number: NUMBER, slug: 'usps', tag: 'InTransit', checkpoints, ...more };
  return { meta: { code: 200 }, data: { trackings: [tracking] } };
}

const readAnswer = (provider: string, body: unknown, carrier: string) =>
  PROVIDERS.find(({ name }) => name === provider)?.parse(response(body), [{ number: NUMBER, carrier }])[0];

test.each(ANSWERS)(
  '%s (%s) says where a parcel goes, for estimates',
  (provider, carrier, answer, destination, region) => {
    expect(readAnswer(provider, answer, carrier)).toMatchObject({
      ...{ kind: 'found', destination },
    });
    // Without one, the place cannot be distinguished from one in the carrier's home country.
    if (region !== null) expect(regionOf(destination, carrier)).toBe(region);
  },
);

test('Canada Post reports the postal code', () => {
  const xml = `<tracking-detail><pin>${NUMBER}</pin><destination-postal-id>K1A0B1</destination-postal-id><significant-events>${XML_EVENT}</significant-events></tracking-detail>`;
  const answer = readAnswer('canada-post', xml, 'canada-post');
  expect(answer).toMatchObject({ kind: 'found', destination: 'K1A0B1, CA' });
});
