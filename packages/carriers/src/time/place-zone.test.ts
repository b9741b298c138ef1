import { COUNTRIES } from './countries.ts';
import { resolveTimeAt } from './local-time.ts';
import { countryOfPlace, zoneOfPlace } from './place-zone.ts';

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
