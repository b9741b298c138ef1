/** Names and codes of a country, in English and Chinese, with its zone, or its home zone if it has several. */
type Country = readonly [iso2: string, names: string, zone: string, hasSeveral?: true];

// biome-ignore format: one country per line is readable as a table
const COUNTRIES: readonly Country[] = [
  ['AE', 'UNITED ARAB EMIRATES|UAE|阿联酋|迪拜', 'Asia/Dubai'],
  ['AT', 'AUSTRIA|奥地利', 'Europe/Vienna'],
  ['AU', 'AUSTRALIA|澳大利亚', 'Australia/Sydney', true],
  ['BE', 'BELGIUM|比利时', 'Europe/Brussels'],
  ['BR', 'BRAZIL|BRASIL|巴西', 'America/Sao_Paulo', true],
  ['CA', 'CANADA|加拿大', 'America/Toronto', true],
  ['CH', 'SWITZERLAND|瑞士', 'Europe/Zurich'],
  ['CN', 'CHINA|中国', 'Asia/Shanghai'],
  ['CZ', 'CZECH REPUBLIC|CZECHIA|捷克', 'Europe/Prague'],
  ['DE', 'GERMANY|DEUTSCHLAND|德国', 'Europe/Berlin'],
  ['DK', 'DENMARK|丹麦', 'Europe/Copenhagen'],
  ['EE', 'ESTONIA|爱沙尼亚', 'Europe/Tallinn'],
  ['ES', 'SPAIN|西班牙', 'Europe/Madrid'],
  ['FI', 'FINLAND|芬兰', 'Europe/Helsinki'],
  ['FR', 'FRANCE|法国', 'Europe/Paris'],
  ['GB', 'UNITED KINGDOM|GREAT BRITAIN|ENGLAND|UK|英国', 'Europe/London'],
  ['GR', 'GREECE|希腊', 'Europe/Athens'],
  ['HK', 'HONG KONG|香港', 'Asia/Hong_Kong'],
  ['HU', 'HUNGARY|匈牙利', 'Europe/Budapest'],
  ['IE', 'IRELAND|爱尔兰', 'Europe/Dublin'],
  ['IL', 'ISRAEL|以色列', 'Asia/Jerusalem'],
  ['IN', 'INDIA|印度', 'Asia/Kolkata'],
  ['IT', 'ITALY|意大利', 'Europe/Rome'],
  ['JP', 'JAPAN|日本', 'Asia/Tokyo'],
  ['KR', 'KOREA|SOUTH KOREA|韩国', 'Asia/Seoul'],
  ['LT', 'LITHUANIA|立陶宛', 'Europe/Vilnius'],
  ['LV', 'LATVIA|拉脱维亚', 'Europe/Riga'],
  ['MO', 'MACAU|MACAO|澳门', 'Asia/Macau'],
  ['MX', 'MEXICO|墨西哥', 'America/Mexico_City', true],
  ['MY', 'MALAYSIA|马来西亚', 'Asia/Kuala_Lumpur'],
  ['NL', 'NETHERLANDS|荷兰', 'Europe/Amsterdam'],
  ['NO', 'NORWAY|挪威', 'Europe/Oslo'],
  ['NZ', 'NEW ZEALAND|新西兰', 'Pacific/Auckland'],
  ['PH', 'PHILIPPINES|菲律宾', 'Asia/Manila'],
  ['PL', 'POLAND|波兰', 'Europe/Warsaw'],
  ['PT', 'PORTUGAL|葡萄牙', 'Europe/Lisbon', true],
  ['RO', 'ROMANIA|罗马尼亚', 'Europe/Bucharest'],
  ['RU', 'RUSSIA|RUSSIAN FEDERATION|俄罗斯', 'Europe/Moscow', true],
  ['SA', 'SAUDI ARABIA|沙特', 'Asia/Riyadh'],
  ['SE', 'SWEDEN|瑞典', 'Europe/Stockholm'],
  ['SG', 'SINGAPORE|新加坡', 'Asia/Singapore'],
  ['TH', 'THAILAND|泰国', 'Asia/Bangkok'],
  ['TR', 'TURKEY|TURKIYE|土耳其', 'Europe/Istanbul'],
  ['TW', 'TAIWAN|台湾', 'Asia/Taipei'],
  ['UA', 'UKRAINE|乌克兰', 'Europe/Kyiv'],
  ['US', 'UNITED STATES|USA|美国', 'America/New_York', true],
  ['VN', 'VIETNAM|VIET NAM|越南', 'Asia/Ho_Chi_Minh'],
  ['ZA', 'SOUTH AFRICA|南非', 'Africa/Johannesburg'],
];

/** Regions of countries with several zones, by the codes that carriers print after a town. */
const REGIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  US: {
    'America/New_York': 'CT DC DE FL GA IN MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV KY',
    'America/Chicago': 'AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI',
    'America/Denver': 'CO ID MT NM UT WY',
    'America/Phoenix': 'AZ',
    'America/Los_Angeles': 'CA NV OR WA',
    'America/Anchorage': 'AK',
    'Pacific/Honolulu': 'HI',
    'America/Puerto_Rico': 'PR',
  },
  CA: {
    'America/Toronto': 'ON QC',
    'America/Vancouver': 'BC',
    'America/Edmonton': 'AB NT',
    'America/Winnipeg': 'MB',
    'America/Regina': 'SK',
    'America/Halifax': 'NB NS PE',
    'America/St_Johns': 'NL',
    'America/Whitehorse': 'YT',
  },
  AU: {
    'Australia/Sydney': 'ACT NSW',
    'Australia/Melbourne': 'VIC',
    'Australia/Brisbane': 'QLD',
    'Australia/Adelaide': 'SA',
    'Australia/Perth': 'WA',
    'Australia/Hobart': 'TAS',
    'Australia/Darwin': 'NT',
  },
};

const ZONE_OF_REGION = new Map(
  Object.entries(REGIONS).flatMap(([country, zones]) =>
    Object.entries(zones).flatMap(([zone, codes]) => codes.split(' ').map((code) => [`${country} ${code}`, zone])),
  ),
);
const BY_ISO2 = new Map(COUNTRIES.map((country) => [country[0], country]));
const NAMES = COUNTRIES.map((country) => ({ country, names: country[1].split('|') }));

/**
 * The IANA zone of a place as carriers write it (`LOS ANGELES, CA US`, `德国`), read as one in a given country if it names none.
 * @param home whether to use the country's own zone if the place does not determine one.
 * @returns null if the place does not determine a zone.
 */
export function zoneOfPlace(place: string, country: string, { home = false } = {}): string | null {
  const { own, region, isTold } = locate(place, country);
  const ofRegion = ZONE_OF_REGION.get(`${own?.[0] ?? country} ${region}`);
  if (ofRegion !== undefined) return ofRegion;
  if (own === undefined) return null;
  const [, , zone, hasSeveral] = own;
  return (isTold && !hasSeveral) || home ? zone : null;
}

/**
 * The country of a place (ISO 3166-1) and, where its name ends in one, the code of its region: `{country: 'US', region: 'CA'}`.
 * @returns null if the place names neither, and is not `country`'s own.
 */
export function countryOfPlace(place: string, country: string): { country: string; region: string | null } | null {
  const { own, region, isTold } = locate(place, country);
  const iso2 = own?.[0] ?? country;
  const isRegion = ZONE_OF_REGION.has(`${iso2} ${region}`);
  return isTold || isRegion ? { country: iso2, region: isRegion ? region : null } : null;
}

/** What a place says about its country; `isTold` if it names one, or is read as the given one's own. */
function locate(place: string, country: string) {
  const text = place.toUpperCase();
  const named = namedIn(text);
  const { region, tail } = endOf(text, named?.name ?? '', place !== '' && place === text);
  const stated = statedIn(place, country) ?? BY_ISO2.get(tail);
  const own = stated ?? named?.country ?? BY_ISO2.get(country);
  const isTold = named !== undefined || stated !== undefined || (text !== '' && own?.[0] === country);
  return { own, region, isTold };
}

const ENDS_IN_CODE = /, {0,9}([A-Z]{2})$/;

/** The country whose code ends a place (`MADRID, ES`), unless the code is that of a region of the given country. */
function statedIn(place: string, country: string): Country | undefined {
  const code = ENDS_IN_CODE.exec(place)?.[1];
  return code === undefined || ZONE_OF_REGION.has(`${country} ${code}`) ? undefined : BY_ISO2.get(code);
}

/** The first country of the table that a text in capitals names, and how. */
function namedIn(text: string): { country: Country; name: string } | undefined {
  for (const { country, names } of NAMES) {
    const name = names.find((each) => hasName(text, each));
    if (name !== undefined) return { country, name };
  }
  return undefined;
}

/** Whether a text has a name that is not part of a longer word. */
function hasName(text: string, name: string): boolean {
  const at = text.indexOf(name);
  const isLetter = (char: string | undefined) => char !== undefined && char >= 'A' && char <= 'Z';
  return at >= 0 && !isLetter(text[at - 1]) && !isLetter(text[at + name.length]);
}

/** A town and the code of its region (`ATLANTA, GA`). */
const TOWN_AND_REGION = /[A-Za-z]{3},\s{0,9}[A-Z]{2,3}\b/;

/** Whether a text, which need not be about a place, names one: a country, or a town and its region. */
export function tellsPlace(text: string): boolean {
  return TOWN_AND_REGION.test(text) || namedIn(text.toUpperCase()) !== undefined;
}

/** Codes of regions that are words as well. */
const WORDS: ReadonlySet<string> = new Set(['AL', 'DE', 'HI', 'ID', 'IN', 'LA', 'ME', 'OH', 'OK', 'ON', 'OR']);

/**
 * The region's code at the end of a place, and the country's behind it; postal codes and the `name` of the country may stand in
 * between. Names in capitals have the region's code before the kind of building, too (`CHICAGO IL DISTRIBUTION CENTER`).
 */
function endOf(text: string, name: string, isCapitals: boolean): { region: string; tail: string } {
  const words = text
    .replace(name, '')
    .split(/[,\s()]/)
    .filter((word) => word !== '' && !/\d/.test(word));
  const isCode = (word: string) => /^[A-Z]{2,3}$/.test(word);
  const [last = '', before = ''] = words.toReversed();
  if (isCode(before) && BY_ISO2.has(last)) return { region: before, tail: last };
  if (isCode(last)) return { region: last, tail: words.length > 1 ? '' : last };
  const inside = isCapitals ? words.slice(1).find((word) => /^[A-Z]{2}$/.test(word) && !WORDS.has(word)) : undefined;
  return { region: inside ?? '', tail: '' };
}
