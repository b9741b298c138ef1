import { PROVIDERS } from '../providers/index.ts';
import { response } from '../testing/parsed.ts';
import { COUNTRIES } from './countries.ts';
import { countryOfPlace, regionOf, zoneOfPlace } from './place.ts';
import { resolveTimeAt, zoneAt } from './time.ts';

test('every country is listed once, with a zone that the runtime knows', () => {
  expect(new Set(COUNTRIES.map(([iso2]) => iso2)).size).toBe(COUNTRIES.length);
  for (const [, , timeZone] of COUNTRIES) expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
});

// biome-ignore format: one place per line is readable as a table
test.each([
  ['LJUBLJANA, SI', 'DE', 'Europe/Ljubljana', 'SI'],
  ['LJUBLJANA, SLOVENIA', 'DE', 'Europe/Ljubljana', 'SI'],
  ['ALMATY, KZ', 'DE', 'Asia/Almaty', 'KZ'],
  ['CASABLANCA, MOROCCO', 'DE', 'Africa/Casablanca', 'MA'],
  ['LAS PALMAS, CANARY ISLANDS', 'DE', 'Atlantic/Canary', 'IC'],
  ['MANAUS, AM, BR', 'DE', 'America/Manaus', 'BR'],
  ['HONG KONG, HONG KONG SAR, CHINA', 'DE', 'Asia/Hong_Kong', 'HK'],
  ['İstanbul, Türkiye', 'DE', 'Europe/Istanbul', 'TR'],
  ['Großbritannien', 'DE', 'Europe/London', 'GB'],
  ['서울, 韩国', 'DE', 'Asia/Seoul', 'KR'],
  ['中国香港', 'DE', 'Asia/Hong_Kong', 'HK'],
  ['内蒙古', 'DE', 'Asia/Shanghai', 'CN'],
  ['几内亚比绍', 'DE', 'Africa/Bissau', 'GW'],
  ['TBILISI, GEORGIA', 'DE', 'Asia/Tbilisi', 'GE'],
  ['DAMASCUS, SYRIAN ARAB REPUBLIC', 'DE', 'Asia/Damascus', 'SY'],
  ['KINGSTOWN, ST. VINCENT AND THE GRENADINES', 'DE', 'America/St_Vincent', 'VC'],
  ['上海地区', 'DE', 'Asia/Shanghai', 'CN'],
  ['海地', 'DE', 'America/Port-au-Prince', 'HT'],
  ['BERLIN, BE, DE', 'US', 'Europe/Berlin', 'DE'],
  ['PUNE, MH, IN', 'US', 'Asia/Kolkata', 'IN'],
  ['BERLIN, GERMANY, DE', 'US', 'Europe/Berlin', 'DE'],
  ['VANCOUVER, BC', 'US', 'America/Vancouver', 'CA'],
  ['Calgary AB T2E 6W5', 'US', 'America/Edmonton', 'CA'],
  ['TORONTO ON', 'US', 'America/Toronto', 'CA'],
  ['IQALUIT, NU', 'CA', 'America/Iqaluit', 'CA'],
  ['REGINA, SK', 'US', 'America/Regina', 'CA'],
  ['BRATISLAVA, SK', 'US', 'Europe/Bratislava', 'SK'],
  ["ST. JOHN'S, NL", 'US', 'America/St_Johns', 'CA'],
  ['CHARLOTTETOWN, PE', 'US', 'America/Halifax', 'CA'],
  ['IQALUIT, NU', 'US', 'America/Iqaluit', 'CA'],
  ['WHITEHORSE, YT', 'US', 'America/Whitehorse', 'CA'],
  ['Las Vegas, NV', 'CA', 'America/Los_Angeles', 'US'],
  ['BUFFALO NY', 'CA', 'America/New_York', 'US'],
  ['IQALUIT NU CA', 'US', 'America/Iqaluit', 'CA'],
  ['LIMA, PE', 'US', 'America/Lima', 'PE'],
  ['AMSTERDAM, NL', 'US', 'Europe/Amsterdam', 'NL'],
  ['MEMPHIS, TN', 'CA', 'America/Chicago', 'US'],
  ['Tunis, TN', 'CA', 'Africa/Tunis', 'TN'],
  ['LOS ANGELES, CA', 'CA', 'America/Los_Angeles', 'US'],
  ['ATLANTA, GA', 'DE', 'America/New_York', 'US'],
  ['ATLANTA, GA 30301', 'DE', 'America/New_York', 'US'],
  ['LIBREVILLE, GA', 'DE', 'Africa/Libreville', 'GA'],
  ['WILMINGTON, DE', 'DE', 'America/New_York', 'US'],
  ['FRANKFURT, DE', 'CA', 'Europe/Berlin', 'DE'],
  ['Chicago, IL', 'CN', 'America/Chicago', 'US'],
  ['TEL AVIV, IL', 'GB', 'Asia/Jerusalem', 'IL'],
  ['JAMAICA, NY', 'DE', 'America/New_York', 'US'],
  ['MIAMI, FL', 'GB', 'America/New_York', 'US'],
  ['TORONTO, ON', 'GB', 'America/Toronto', 'CA'],
  ['ADELAIDE, SA', 'NZ', 'Australia/Adelaide', 'AU'],
  ['RIYADH, SA', 'NZ', 'Asia/Riyadh', 'SA'],
  ['REGINA, SK', 'GB', 'America/Regina', 'CA'],
  ['LAS PALMAS, ES', 'DE', 'Atlantic/Canary', 'ES'],
  ['Santa Cruz de Tenerife', 'ES', 'Atlantic/Canary', 'ES'],
])('%s of a carrier in %s is in %s', (place, home, zone, country) => {
  expect(zoneOfPlace(place, home)).toBe(zone);
  expect(countryOfPlace(place, home)?.country).toBe(country);
});

// biome-ignore format: one place per line is readable as a table
test.each([
  ['JAMAICA, NY 11430', 'US', 'America/New_York', 'a town, not Jamaica'],
  ['JORDAN, MN', 'US', 'America/Chicago', 'a town, not Jordan or Mongolia'],
  ['Lebanon PA 17042', 'US', 'America/New_York', 'a town, not Lebanon or Panama'],
  ['PERU, IL', 'US', 'America/Chicago', 'a town, not Peru or Israel'],
  ['CHINA, ME', 'US', 'America/New_York', 'a town, not China or Montenegro'],
  ['PALAU, SS', 'IT', 'Europe/Rome', 'a town, not Palau or South Sudan'],
  ['SAINT MARTIN D HERES', 'FR', 'Europe/Paris', 'a town, not the island'],
  ['St. Vincent', 'FR', 'Europe/Paris', 'a town, not the island'],
  ['运输途中非常抱歉', 'DE', 'Europe/Berlin', 'a part of two words, not the Central African Republic'],
  ['PERU, IN, USA', 'DE', 'America/New_York', 'a town, not Peru'],
  ['ATLANTA, GEORGIA', 'US', 'America/New_York', 'a state, not Georgia'],
  ['NEWARK, NEW JERSEY', 'US', 'America/New_York', 'a state, not Jersey'],
  ['SIENA, SI', 'IT', 'Europe/Rome', 'a province, not Slovenia'],
  ['MUENCHEN, BY', 'DE', 'Europe/Berlin', 'a state, not Belarus'],
  ['VITORIA, ES', 'BR', 'America/Sao_Paulo', 'a state, not Spain'],
  ['MONTERREY, NL', 'MX', 'America/Mexico_City', 'a state, not the Netherlands'],
  ['MILANO, MI', 'IT', 'Europe/Rome', 'a province, not Michigan'],
  ['OURENSE, OR', 'ES', 'Europe/Madrid', 'a province, not Oregon'],
  ['Chu Se', 'VN', 'Asia/Ho_Chi_Minh', 'a town, not Sweden'],
])('%s of a carrier in %s is in %s: %s', (place, home, zone) => {
  expect(zoneOfPlace(place, home, { home: true })).toBe(zone);
});

test('a region of the carrier’s country is not read as a country', () => {
  expect(resolveTimeAt('2031-02-01 12:00:00', { locality: 'FLORENCE, SC' }, ['US'])).toEqual({
    ...{ time: '2031-02-01T17:00:00Z', zoneSource: 'location' },
  });
});

test.each([
  ['REGINA', 'SK', '2031-02-01T18:00:00Z'],
  ['ST JOHNS', 'NL', '2031-02-01T15:30:00Z'],
])('%s with the region %s and no country is in Canada for carriers in the United States', (locality, region, time) => {
  expect(resolveTimeAt('2031-02-01 12:00:00', { locality, region }, ['US'])?.time).toBe(time);
});

test.each([
  ['SAO PAULO, BRAZIL', 'America/Sao_Paulo'],
  ['ROMULUS, USA', 'America/New_York'],
  ['印度尼西亚', 'Asia/Jakarta'],
])('%s, in a country with several zones, has no zone; the guess is %s and not that of the carrier', (place, zone) => {
  expect(zoneOfPlace(place, 'DE')).toBeNull();
  expect(zoneOfPlace(place, 'DE', { home: true })).toBe(zone);
  const [local, guess] = ['2031-02-01 12:00:00', '2031-02-01T12:00:00'];
  const resolved = resolveTimeAt(local, { locality: place }, ['DE']);
  expect(resolved?.zoneSource).toBe('default');
  const shown = new Date(resolved?.time ?? '').toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T');
  expect(shown).toBe(guess);
});

test.each([
  ['广东省深圳市', 'yto', 'CN-GD'],
  ['【杭州市】', 'zto', 'CN-ZJ'],
  ['深圳龙岗转运中心', 'yunda', 'CN-GD'],
  ['中国内蒙古自治区', 'yto', 'CN-NM'],
  ['某镇营业部', 'yto', 'CN'],
  ['德国', 'yto', 'DE'],
  ['LOS ANGELES, CA US', 'ups', 'US-CA'],
  ['Dayton, OH 45402', 'usps', 'US-OH'],
  ['Hamburg, GERMANY', 'fedex', 'DE'],
  ['Köln', 'dhl-paket', 'DE'],
  ['MADRID, ES', 'dhl', 'ES'],
  ['PARIS, FR', 'ups', 'FR'],
  ['WILMINGTON, DE', 'ups', 'US-DE'],
])('%s of %s is in %s', (place, carrier, region) => {
  expect(regionOf(place, carrier)).toBe(region);
});

test.each([
  ['', 'yto'],
  ['Nowhere', 'no-such-carrier'],
])('%j of %s has no region', (place, carrier) => {
  expect(regionOf(place, carrier)).toBeNull();
});

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

test.each([
  ['KNOXVILLE, TN', 'America/New_York'],
  ['Knoxville, TN 37902', 'America/New_York'],
  ['NASHVILLE, TN', 'America/Chicago'],
  ['EL PASO, TX, US', 'America/Denver'],
  ['DALLAS, TX, US', 'America/Chicago'],
  ['PENSACOLA, FL', 'America/Chicago'],
  ['Miami, FL', 'America/New_York'],
  ['EVANSVILLE, IN, US', 'America/Chicago'],
  ['INDIANAPOLIS, IN, US', 'America/New_York'],
  ['RAPID CITY, SD', 'America/Denver'],
  ["COEUR D'ALENE, ID, US", 'America/Los_Angeles'],
])('the town decides where its state has two zones: %s', (place, zone) => {
  expect(zoneOfPlace(place, 'US')).toBe(zone);
});

test.each([
  ['BLOUNTVILLE', 'TN', '37617', 'America/New_York'],
  ['HAZEL', 'KY', '42049-9711', 'America/Chicago'],
  ['FREEPORT', 'FL', '32439', 'America/Chicago'],
  ['Hebron', 'IN', '46341', 'America/Chicago'],
  ['POTLATCH', 'ID', '83855', 'America/Los_Angeles'],
  ['Keystone', 'SD', '57751', 'America/Denver'],
  ['MITCHELL', 'NE', '693570012', 'America/Denver'],
  ['ELIZABETHTOWN', 'KY', '42701', 'America/New_York'],
  ['RIGGINS', 'ID', '83549', 'America/Boise'],
  ['BLOUNTSTOWN', 'FL', '32424', 'America/New_York'],
  ['DICKSON', 'TN', '', 'America/Chicago'],
  ['JASPER', 'IN', '47x', 'America/New_York'],
])('the ZIP area decides for towns of which few are known: %s, %s %s', (locality, region, postalCode, zone) => {
  expect(zoneAt({ locality, region, postalCode }, ['US'])).toEqual({ zone, source: 'location' });
  if (postalCode.length === 5) expect(zoneOfPlace(`${locality}, ${region} ${postalCode}`, 'US')).toBe(zone);
});

// biome-ignore format: one answer per line is readable as a table
test.each([
  ['easypost', { trackers: [{ tracking_code: NUMBER, tracking_details: [{ datetime: '2031-04-01T10:00:00Z', message: 'Moved', tracking_location: { city: 'BLOUNTVILLE', state: 'TN', country: null, zip: '37617' } }] }] }],
  ['aftership', { meta: { code: 200 }, data: { trackings: [{ tracking_number: NUMBER, slug: 'usps', checkpoints: [{ checkpoint_time: '2031-04-01T10:00:00', city: 'BLOUNTVILLE', state: 'TN', zip: '37617' }] }] } }],
  ['trackingmore', { meta: { code: 200 }, data: [{ tracking_number: NUMBER, courier_code: 'usps', origin_info: { trackinfo: [{ checkpoint_date: '2031-04-01T10:00:00', tracking_detail: 'Moved', city: 'BLOUNTVILLE', state: 'TN', country_iso2: 'US', zip: '37617' }] } }] }],
  ['usps', [{ trackingNumber: NUMBER, trackingEvents: [{ eventTimestamp: '2031-04-01T10:00:00', eventType: 'Moved', eventCity: 'BLOUNTVILLE', eventState: 'TN', eventZIP: '37617' }] }]],
  ['ups', { trackResponse: { shipment: [{ inquiryNumber: NUMBER, package: [{ trackingNumber: NUMBER, activity: [{ date: '20310401', time: '100000', status: { type: 'I', description: 'Moved' }, location: { address: { city: 'BLOUNTVILLE', stateProvince: 'TN', postalCode: '37617' } } }] }] }] } }],
])('%s: a local time is that of the ZIP area, which is not shown', (provider, answer) => {
  const [scan] = (readAnswer(provider, answer, 'usps') as { scans: unknown[] }).scans;
  expect(scan).toMatchObject({ time: '2031-04-01T14:00:00Z', zoneSource: 'location' });
  expect(JSON.stringify(scan)).not.toContain('37617');
});
