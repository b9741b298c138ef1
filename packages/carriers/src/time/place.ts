import type { PickupPoint, Scan } from '@pts/core/tracking/scan';
import { findCarrier } from '../registry/registry.ts';
import { COUNTRIES, type Country } from './countries.ts';

/**
 * A place in the parts that an API reports; '' for missing parts. The country is ISO 3166-1 alpha-2. A postal code is
 * not shown: it only helps to find the zone of a town in the United States.
 */
export type Place = { locality?: string; region?: string; country?: string; postalCode?: string };

/** A place as scans show it: `FENNBROOK, OH, US`. */
export function placeText({ locality = '', region = '', country = '' }: Place): string {
  return [locality, region, country].filter((part) => part !== '').join(', ');
}

/** A pick-up point of the parts that an answer states; undefined if they have neither its name nor its address. */
export function pickupPointAt({ latitude, longitude, ...texts }: PickupPoint): PickupPoint | undefined {
  const stated = Object.fromEntries(Object.entries(texts).filter(([, text]) => text?.trim()));
  if (stated.name === undefined && stated.address === undefined) return undefined;
  const isOnEarth = Math.abs(latitude ?? 91) <= 90 && Math.abs(longitude ?? 181) <= 180;
  return { ...stated, ...(isOnEarth && (latitude || longitude) && { latitude, longitude }) };
}

/** A place as events have it: the parts that are known, the country by its code. */
export function placeParts({ locality = '', region = '', country = '' }: Place): Scan['place'] {
  const iso2 = /^[A-Z]{2}$/.test(country) ? country : country && (countryOfPlace(country, '')?.country ?? '');
  if (locality === '' && region === '' && iso2 === '') return undefined;
  return { ...(locality && { city: locality }), ...(region && { region }), ...(iso2 && { country: iso2 }) };
}

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
    'America/Puerto_Rico': 'PR VI',
    'Pacific/Guam': 'GU MP',
    'Pacific/Pago_Pago': 'AS',
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
    'America/Iqaluit': 'NU',
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
  BR: {
    'America/Sao_Paulo': 'AL AP BA CE DF ES GO MA MG PA PB PE PI PR RJ RN RS SC SE SP TO',
    'America/Manaus': 'AM MS MT RO RR',
    'America/Rio_Branco': 'AC',
  },
};

/**
 * Towns and three-digit ZIP areas in the smaller part of a state or province with two zones, by the zone of that part,
 * and towns of the larger part in those areas. Of the 12,158 ZIPs of these states, 813 are an hour off by the towns
 * alone, and 275 by both. Areas without a clear majority (KY 427, NE 691, TN 373) are left to the towns.
 */
// biome-ignore format: one region per line is readable as a table
const TOWNS_OF_ZONE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'US AL': { 'America/New_York': 'PHENIX CITY|LANETT|VALLEY' },
  'US FL': { 'America/Chicago': 'PENSACOLA|PANAMA CITY|PANAMA CITY BEACH|FORT WALTON BEACH|DESTIN|CRESTVIEW|NICEVILLE|MILTON|MARIANNA|NAVARRE|GULF BREEZE|LYNN HAVEN|DEFUNIAK SPRINGS|CANTONMENT|SANTA ROSA BEACH|CHIPLEY|BONIFAY|324|325', 'America/New_York': 'PORT ST JOE|PORT SAINT JOE|BLOUNTSTOWN' },
  'US ID': { 'America/Los_Angeles': 'COEUR D ALENE|LEWISTON|POST FALLS|MOSCOW|SANDPOINT|HAYDEN|RATHDRUM|KELLOGG|BONNERS FERRY|GRANGEVILLE|OROFINO|835|838', 'America/Boise': 'RIGGINS' },
  'US IN': { 'America/Chicago': 'EVANSVILLE|GARY|HAMMOND|MERRILLVILLE|VALPARAISO|MICHIGAN CITY|CROWN POINT|EAST CHICAGO|PORTAGE|LA PORTE|LAPORTE|HOBART|SCHERERVILLE|MUNSTER|HIGHLAND|GRIFFITH|DYER|CHESTERTON|NEWBURGH|PRINCETON|MOUNT VERNON|BOONVILLE|TELL CITY|KNOX|RENSSELAER|LOWELL|463|464|476|477' },
  'US KS': { 'America/Denver': 'GOODLAND|SHARON SPRINGS|TRIBUNE|SYRACUSE' },
  'US KY': { 'America/Chicago': 'BOWLING GREEN|PADUCAH|OWENSBORO|HOPKINSVILLE|MADISONVILLE|MURRAY|HENDERSON|GLASGOW|MAYFIELD|CENTRAL CITY|RUSSELLVILLE|FRANKLIN|LEITCHFIELD|OAK GROVE|PRINCETON|BENTON|420|421|422|423|424' },
  'US MI': { 'America/Chicago': 'IRON MOUNTAIN|MENOMINEE|IRONWOOD|KINGSFORD|BESSEMER|WAKEFIELD|IRON RIVER' },
  'US ND': { 'America/Denver': 'DICKINSON|BOWMAN|HETTINGER|BEACH|MEDORA|586' },
  'US NE': { 'America/Denver': 'SCOTTSBLUFF|GERING|ALLIANCE|SIDNEY|CHADRON|OGALLALA|KIMBALL|BRIDGEPORT|CHAPPELL|GORDON|IMPERIAL|VALENTINE|693' },
  'US NV': { 'America/Denver': 'WEST WENDOVER|JACKPOT' },
  'US OR': { 'America/Boise': 'ONTARIO|NYSSA|VALE|ADRIAN' },
  'US SD': { 'America/Denver': 'RAPID CITY|SPEARFISH|STURGIS|BELLE FOURCHE|HOT SPRINGS|CUSTER|DEADWOOD|LEAD|BOX ELDER|PINE RIDGE|LEMMON|576|577', 'America/Chicago': 'MOBRIDGE|HERREID' },
  'US TN': { 'America/New_York': 'KNOXVILLE|CHATTANOOGA|JOHNSON CITY|KINGSPORT|BRISTOL|MORRISTOWN|OAK RIDGE|MARYVILLE|CLEVELAND|SEVIERVILLE|GREENEVILLE|LENOIR CITY|ALCOA|GATLINBURG|PIGEON FORGE|ELIZABETHTON|ATHENS|POWELL|HIXSON|OOLTEWAH|JEFFERSON CITY|NEWPORT|ROGERSVILLE|DAYTON|CLINTON|LOUDON|374|376|377|378|379' },
  'US TX': { 'America/Denver': 'EL PASO|SOCORRO|HORIZON CITY|FORT BLISS|CANUTILLO|CLINT|FABENS|ANTHONY|SAN ELIZARIO' },
  'CA BC': { 'America/Edmonton': 'CRANBROOK|FERNIE|GOLDEN|INVERMERE|KIMBERLEY', 'America/Dawson_Creek': 'FORT ST JOHN|DAWSON CREEK|CHETWYND|FORT NELSON', 'America/Creston': 'CRESTON' },
  'CA ON': { 'America/Winnipeg': 'KENORA|DRYDEN|FORT FRANCES|SIOUX LOOKOUT|RED LAKE', 'America/Atikokan': 'ATIKOKAN' },
  'CA SK': { 'America/Edmonton': 'LLOYDMINSTER' },
  'AU NSW': { 'Australia/Adelaide': 'BROKEN HILL' },
};
const ZONE_OF_TOWN = new Map(
  Object.entries(TOWNS_OF_ZONE).flatMap(([region, zones]) =>
    Object.entries(zones).flatMap(([zone, towns]) =>
      towns.split('|').map((town) => [`${town}, ${region}`, zone] as const),
    ),
  ),
);

/** The ZIP behind a state or country: its first three digits are those of its area. */
const ZIP_AREA = /\b[A-Z]{2},? (\d{3})\d\d\b/i;

/**
 * The zone of a town that differs from most of its region, by its name, where the place begins with it, or by its ZIP
 * area: `KNOXVILLE, TN 37902`.
 */
function zoneOfTown(place: string, region: string): string | undefined {
  if (TOWNS_OF_ZONE[region] === undefined) return undefined;
  const parts = inCapitals(place).replace(/[.'’]/g, ' ').split(',');
  const town = (parts[0] ?? '').replace(/ {2,9}/g, ' ').trim();
  const code = region.slice(3);
  const alone = parts.length > 1 || !town.endsWith(` ${code}`) ? town : town.slice(0, -code.length - 1);
  const [, area = ''] = ZIP_AREA.exec(place) ?? [];
  return ZONE_OF_TOWN.get(`${alone}, ${region}`) ?? ZONE_OF_TOWN.get(`${area}, ${region}`);
}

/** The two provinces of Spain with another zone than the rest. */
const CANARY_ISLANDS = /\b(?:LAS PALMAS|TENERIFE|CANARIAS|CANARY ISLANDS)\b/;

/** Codes of regions that would be read as countries, states or provinces otherwise, where the country has one zone. */
const CODES_OF_REGIONS: Readonly<Record<string, string>> = {
  CH: 'AG AI AR BE BL BS GE GL GR LU NE SG SO SZ TG VD',
  DE: 'BB BE BW BY HE MV NI RP SH SL SN ST TH',
  ES: 'AB OR',
  IN: 'AR AS BR CG CT GA HR KA LA MH ML MN MP MZ NL OR PB PY SK TN TR UT',
  IT: 'AG AL AO AR AT BA BG BI BN BO BR BS BT CA CH CL CN CO CR CT CZ EN FM FR GE GO GR IM IS KR LC LI LT LU MB MC ME MI MN MO MS MT NA NO NU OR PA PE PG PN PR PS PT PU RE RI RO SA SI SO SR SS SV TN TO TR TV VA VC VE VI VT',
  MX: 'AG BC BS CH CL CM CO CS GR GT MI MO NA NL NT PR SI SL SO TL TM VE',
  ZA: 'EC GP MP NC',
};

const ZONE_OF_REGION = new Map(
  Object.entries(REGIONS).flatMap(([country, zones]) =>
    Object.entries(zones).flatMap(([zone, codes]) => codes.split(' ').map((code) => [`${country} ${code}`, zone])),
  ),
);
const CODES = new Set([
  ...ZONE_OF_REGION.keys(),
  ...Object.entries(CODES_OF_REGIONS).flatMap(([country, codes]) =>
    codes.split(' ').map((code) => `${country} ${code}`),
  ),
]);
const BY_ISO2 = new Map(COUNTRIES.map((country) => [country[0], country]));
const NAMES = namesByBeginning();

/**
 * The IANA zone of a place as carriers write it (`LOS ANGELES, CA US`, `德国`), read as one in a given country if it
 * names none.
 * @param home whether to use the home zone of the country, the named one or the given one, if the place does not
 *   determine one.
 * @returns null if the place does not determine a zone.
 */
export function zoneOfPlace(place: string, country: string, { home = false } = {}): string | null {
  const { own, region, isTold } = locate(place, country);
  const ofTown = zoneOfTown(place, `${own?.[0] ?? country} ${region}`);
  if (ofTown !== undefined) return ofTown;
  const ofRegion = ZONE_OF_REGION.get(`${own?.[0] ?? country} ${region}`);
  if (ofRegion !== undefined) return ofRegion;
  if (own === undefined) return null;
  if (own[0] === 'ES' && CANARY_ISLANDS.test(inCapitals(place))) return 'Atlantic/Canary';
  const [, , zone, hasSeveral] = own;
  return (isTold && !hasSeveral) || home ? zone : null;
}

/**
 * The country of a place (ISO 3166-1) and, where its name ends in one, the code of its region: `{country: 'US', region:
 * 'CA'}`.
 * @returns null if the place names neither, and is not `country`'s own.
 */
export function countryOfPlace(place: string, country: string): { country: string; region: string | null } | null {
  const { own, region, isTold } = locate(place, country);
  const iso2 = own?.[0] ?? country;
  const isRegion = ZONE_OF_REGION.has(`${iso2} ${region}`);
  return isTold || isRegion ? { country: iso2, region: isRegion ? region : null } : null;
}

/** Finds what a place says about its country; `isTold` if it names one, or is read as the given one's own. */
function locate(place: string, country: string) {
  const text = inCapitals(place);
  const isCapitals = place !== '' && place === place.toUpperCase();
  const named = namedIn(text);
  const { region, tail } = endOf(text, named?.name ?? '', isCapitals);
  const stated = statedIn(place, country) ?? (named && isRegion(country, tail) ? undefined : BY_ISO2.get(tail));
  const own =
    stated ??
    (isTown(text, named, country, region) ? undefined : named?.country) ??
    BY_ISO2.get(homeOf(region, country));
  const isTold = named !== undefined || stated !== undefined || (text !== '' && own?.[0] === country);
  return { own, region, isTold };
}

const NEIGHBORS: Readonly<Record<string, string>> = { US: 'CA', CA: 'US' };

/**
 * Carriers in the United States also write places in Canada without the country (`VANCOUVER, BC`), and those in Canada
 * places in the United States; no state has the code of a province.
 */
export function homeOf(region: string, country: string): string {
  const neighbor = NEIGHBORS[country];
  return neighbor !== undefined && ZONE_OF_REGION.has(`${neighbor} ${region}`) ? neighbor : country;
}

/** A text in capitals without accents: `Türkiye` as `TURKIYE`. */
function inCapitals(text: string): string {
  return text.toUpperCase().normalize('NFD').replace(/\p{M}/gu, '');
}

type Named = { country: Country; name: string };

/** Whether a name is that of a town or state of the given country: `JAMAICA, NY`, `ATLANTA, GEORGIA`. */
function isTown(text: string, named: Named | undefined, country: string, region: string): boolean {
  if (named === undefined || named.country[0] === region) return false;
  if (country === 'US' && named.name === 'GEORGIA') return true;
  return isRegion(country, region) && text.lastIndexOf(region) > text.lastIndexOf(named.name);
}

function isRegion(country: string, code: string): boolean {
  return CODES.has(`${country} ${code}`);
}

const ENDS_IN_CODE = /(, {0,9}[A-Z]{2})?, {0,9}([A-Z]{2})(?: \d{5}(?:-\d{4})?)?$/;

/**
 * The country that the code at the end of a place says, unless it is that of a region of the given country: that of a
 * town which is known by its region (`ATLANTA, GA`), otherwise the one with the code (`LIBREVILLE, GA`), or with a
 * region of that code (`BUFFALO, NY`). Behind another code it is the country's (`BERLIN, BE, DE`).
 */
function statedIn(place: string, country: string): Country | undefined {
  const found = ENDS_IN_CODE.exec(place);
  const [, before, code = ''] = found ?? [];
  if (found === null || before !== undefined) return BY_ISO2.get(code);
  if (isRegion(country, code)) return undefined;
  const town = inCapitals(place.slice(0, found.index)).replace(/[.'’]/g, '');
  const ofTown = COUNTRY_OF_TOWN.get(`${town}, ${code}`);
  const ofRegion = ['US', 'CA'].find((american) => ZONE_OF_REGION.has(`${american} ${code}`));
  return BY_ISO2.get(ofTown ?? code) ?? BY_ISO2.get(ofRegion ?? '');
}

/**
 * The country that a text in capitals names last, by the longest name there: `PERU, IN, USA`, `HONG KONG SAR, CHINA`.
 */
function namedIn(text: string): Named | undefined {
  let last: Named | undefined;
  for (let at = 0; at < text.length; at++) {
    if (isLetter(text, at - 1)) continue;
    const named = NAMES.get(text.slice(at, at + 2))?.find(({ name }) => isNameAt(text, name, at));
    if (named === undefined) continue;
    last = named;
    at += named.name.length - 1;
  }
  return last;
}

/** Whether a word of a text begins with a name at a place, and ends with it. */
function isNameAt(text: string, name: string, at: number): boolean {
  return text.startsWith(name, at) && !isLetter(text, at + name.length);
}

/** Whether a text in capitals has a letter from A to Z there. */
function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 65 && code <= 90;
}

/** The names of countries by their first two characters, the longest first. */
function namesByBeginning(): Map<string, Named[]> {
  const names = COUNTRIES.flatMap((country) => country[1].split('|').map((name) => ({ country, name })));
  const byBeginning = new Map<string, Named[]>();
  for (const named of names.toSorted((a, b) => b.name.length - a.name.length)) {
    const beginning = named.name.slice(0, 2);
    byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), named]);
  }
  return byBeginning;
}

/** A town and the code of its region (`ATLANTA, GA`). */
const TOWN_AND_REGION = /[A-Za-z]{3},\s{0,9}[A-Z]{2,3}\b/;

/** Whether a text, which need not be about a place, names one: a country, or a town and its region. */
export function tellsPlace(text: string): boolean {
  return TOWN_AND_REGION.test(text) || namedIn(inCapitals(text)) !== undefined;
}

/** Codes of regions that are words as well. */
const WORDS: ReadonlySet<string> = new Set(['AL', 'DE', 'HI', 'ID', 'IN', 'LA', 'ME', 'OH', 'OK', 'ON', 'OR']);

/**
 * The region's code at the end of a place, and the country's behind it; postal codes and the `name` of the country may
 * stand in between. Names in capitals have the region's code before the kind of building, too (`CHICAGO IL DISTRIBUTION
 * CENTER`).
 */
function endOf(text: string, name: string, isCapitals: boolean): { region: string; tail: string } {
  const words = text
    .replace(name, '')
    .split(/[,\s()]/)
    .filter((word) => word !== '' && !/\d/.test(word));
  const isCode = (word: string) => /^[A-Z]{2,3}$/.test(word);
  const [last = '', before = ''] = words.toReversed();
  if (ZONE_OF_REGION.has(`${last} ${before}`)) return { region: before, tail: last };
  if (isCode(last)) return { region: last, tail: words.length > 1 ? '' : last };
  const inside = isCapitals ? words.slice(1).find((word) => /^[A-Z]{2}$/.test(word) && !WORDS.has(word)) : undefined;
  return { region: inside ?? '', tail: '' };
}

/** Provinces of China by the names that scans begin with, and large cities that scans name without their province. */
const CHINESE_REGIONS: Readonly<Record<string, string>> = {
  AH: '安徽 合肥 芜湖',
  BJ: '北京',
  CQ: '重庆',
  FJ: '福建 福州 厦门 泉州',
  GD: '广东 广州 深圳 东莞 佛山 中山 惠州 汕头 揭阳',
  GS: '甘肃 兰州',
  GX: '广西 南宁 柳州',
  GZ: '贵州 贵阳',
  HA: '河南 郑州 洛阳',
  HB: '湖北 武汉',
  HE: '河北 石家庄 保定 廊坊',
  HI: '海南 海口 三亚',
  HL: '黑龙江 哈尔滨',
  HN: '湖南 长沙',
  JL: '吉林 长春',
  JS: '江苏 南京 苏州 无锡 常州 南通 徐州',
  JX: '江西 南昌',
  LN: '辽宁 沈阳 大连',
  NM: '内蒙古 呼和浩特',
  NX: '宁夏 银川',
  QH: '青海 西宁',
  SC: '四川 成都',
  SD: '山东 济南 青岛 潍坊 临沂',
  SH: '上海',
  SN: '陕西 西安',
  SX: '山西 太原',
  TJ: '天津',
  XJ: '新疆 乌鲁木齐',
  XZ: '西藏 拉萨',
  YN: '云南 昆明',
  ZJ: '浙江 杭州 宁波 温州 金华 义乌 嘉兴 台州 绍兴',
};
const CHINESE = Object.entries(CHINESE_REGIONS).flatMap(([code, names]) =>
  names.split(' ').map((name) => [name, code] as const),
);
/** A place in brackets, as in `【杭州市】`, or spaces may precede the name. */
const LEADING = /^[\s【[(（]{1,9}|^中国/u;

/**
 * The region of a place as carriers write it: country and province or state (`CN-GD`, `US-CA`), or the country alone
 * (`DE`).
 * @param carrier its code: a place without a country is in the carrier's.
 * @returns null if the place shows neither.
 */
export function regionOf(place: string, carrier: string): string | null {
  const text = place.trim();
  if (text === '') return null;
  const home = findCarrier(carrier, { sandbox: true })?.country ?? '';
  if (home === 'CN' || home === 'ZZ') {
    const name = text.replace(LEADING, '');
    const found = CHINESE.find(([prefix]) => name.startsWith(prefix));
    if (found) return `CN-${found[1]}`;
  }
  const located = countryOfPlace(text, home);
  if (located === null) return null;
  return located.region === null ? located.country : `${located.country}-${located.region}`;
}

/** The destination of a parcel in an answer, for estimates (`Found.destination`); empty if it does not say. */
export function destinationAt(place: Place): { destination?: string } {
  const destination = placeText(place).trim();
  return destination === '' ? {} : { destination };
}

/**
 * Large towns in regions whose code is also that of a country, or of a region elsewhere: only the town distinguishes
 * them.
 */
const TOWNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  US: {
    AL: 'BIRMINGHAM|HUNTSVILLE|MOBILE|MONTGOMERY',
    AR: 'FORT SMITH|LITTLE ROCK',
    AZ: 'MESA|PHOENIX|TEMPE|TOLLESON|TUCSON',
    CA: 'ANAHEIM|BELL GARDENS|CARSON|CHINO|CITY OF INDUSTRY|COMPTON|FRESNO|HAYWARD|INGLEWOOD|LONG BEACH|LOS ANGELES|OAKLAND|SACRAMENTO|SAN BERNARDINO|SAN DIEGO|SAN FRANCISCO|SAN JOSE|SANTA ANA|SANTA CLARITA|TORRANCE',
    CO: 'AURORA|COLORADO SPRINGS|COMMERCE CITY|DENVER',
    DE: 'DOVER|NEW CASTLE|NEWARK|WILMINGTON',
    GA: 'ATLANTA|AUGUSTA|COLLEGE PARK|FOREST PARK|MACON|SAVANNAH',
    ID: 'BOISE|IDAHO FALLS|POCATELLO',
    IL: 'BEDFORD PARK|CAROL STREAM|CHICAGO|DES PLAINES|ELK GROVE VILLAGE|FRANKLIN PARK|HODGKINS|PALATINE|PEORIA|ROCKFORD',
    IN: 'EVANSVILLE|FORT WAYNE|GARY|INDIANAPOLIS|PLAINFIELD|SOUTH BEND|WHITESTOWN',
    KY: 'ERLANGER|HEBRON|LEXINGTON|LOUISVILLE',
    LA: 'BATON ROUGE|NEW ORLEANS|SHREVEPORT',
    MA: 'BOSTON|CHELSEA|SPRINGFIELD|WORCESTER',
    MD: 'BALTIMORE|CAPITOL HEIGHTS|GAITHERSBURG|HAGERSTOWN',
    ME: 'BANGOR|PORTLAND|SCARBOROUGH',
    MN: 'DULUTH|EAGAN|MINNEAPOLIS|SAINT PAUL|ST PAUL',
    MO: 'HAZELWOOD|KANSAS CITY|SAINT LOUIS|SPRINGFIELD|ST LOUIS',
    MS: 'HORN LAKE|JACKSON|OLIVE BRANCH|SOUTHAVEN',
    MT: 'BILLINGS|GREAT FALLS|MISSOULA',
    NC: 'CHARLOTTE|DURHAM|GREENSBORO|RALEIGH',
    NE: 'LINCOLN|OMAHA',
    PA: 'ALLENTOWN|CARLISLE|HARRISBURG|PHILADELPHIA|PITTSBURGH',
    SC: 'CHARLESTON|COLUMBIA|GREENVILLE|GREER',
    SD: 'RAPID CITY|SIOUX FALLS',
    TN: 'CHATTANOOGA|KNOXVILLE|MEMPHIS|NASHVILLE',
    VA: 'CHANTILLY|DULLES|NORFOLK|RICHMOND|ROANOKE|SANDSTON|STERLING',
  },
  CA: {
    NL: 'CLARENVILLE|CORNER BROOK|DEER LAKE|GANDER|GOOSE BAY|GRAND FALLS|HAPPY VALLEY|LABRADOR CITY|MOUNT PEARL|PARADISE|ST JOHNS|STEPHENVILLE',
    NU: 'CAMBRIDGE BAY|IQALUIT|RANKIN INLET',
    PE: 'CHARLOTTETOWN|STRATFORD|SUMMERSIDE',
    SK: 'ESTEVAN|MOOSE JAW|NORTH BATTLEFORD|PRINCE ALBERT|REGINA|SASKATOON|SWIFT CURRENT|WEYBURN|YORKTON',
    YT: 'WHITEHORSE',
  },
  AU: { NT: 'DARWIN', SA: 'ADELAIDE', WA: 'PERTH' },
};

/** The country of each town, by its name in capitals and the code of its region: `ATLANTA, GA`. */
const COUNTRY_OF_TOWN: ReadonlyMap<string, string> = new Map(
  Object.entries(TOWNS).flatMap(([country, regions]) =>
    Object.entries(regions).flatMap(([code, towns]) =>
      towns.split('|').map((town) => [`${town}, ${code}`, country] as const),
    ),
  ),
);
