import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, partOf, textOf } from '../../http/json.ts';
import { handOverOf, isNoScan, isTakenOut, meaningOfChinese, signedBy } from '../../texts/chinese.ts';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../texts/meaning.ts';
import { tellsPlace } from '../../time/place.ts';
import { resolveLocalTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Kuaidi100';
const WANTS_PHONE =
  'The carrier needs the last four digits of the sender\'s or recipient\'s phone number. Send them as "phone" ' +
  'when you register the number, or with PATCH /api/v1/trackings/{id}, for example "phone": "5678". ' +
  'If you have sent them, they belong to another phone number.';

/**
 * Reads the answer to one `poll/query` call (basic or `resultv2`, newest scan first, local times without a zone). A
 * scan has the status of its own code, or of its text if the code is coarse or missing.
 */
export function parseQuery(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE);
  return read.kind === 'failed' ? read : parseResult(read.body, requested);
}

/** Reads an answer, or the same in a callback (`lastResult`). */
export function parseResult(answer: JsonObject, requested: Requested): CarrierAnswer {
  // Refusals carry a `returnCode`, answers a `status`.
  const code = codeOf(answer, 'returnCode') || codeOf(answer, 'status');
  return code === '200' ? parseHistory(answer, requested) : refusal(code, answer);
}

function refusal(code: string, answer: JsonObject): CarrierAnswer {
  const message = textOf(answer, 'message');
  const { data } = answer;
  const outcome = outcomeOf(code, message, Array.isArray(data) && data.length === 0);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(
    outcome,
    outcome === 'needs_input' ? WANTS_PHONE : `${TITLE} responded with ${code || 'no code'}: ${message}`,
  );
}

function parseHistory(answer: JsonObject, requested: Requested): CarrierAnswer {
  // No scans are an empty list or null.
  const data = answer.data === null ? [] : answer.data;
  if (!Array.isArray(data)) return failed('unreadable', `${TITLE} responded without a list of scans`);
  const listed = data.filter((value) => !isObject(value) || !isNoScan(textOf(value, 'context')));
  if (listed.length === 0) return { kind: 'not_found' };
  const carrier = carrierOf(textOf(answer, 'com')) ?? requested.carrier;
  const state = codeOf(answer, 'state');
  return answerByNumber(requested, [answer], {
    provider: TITLE,
    numbersOf: () => [textOf(answer, 'nu')],
    answerOf: () =>
      answerFrom(
        listed.map((value) => scanOf(value, carrier, state)),
        TITLE,
        {
          state: (text) => meaningOfCode(state, text),
          destination: textOf(partOf(partOf(answer, 'routeInfo'), 'to'), 'name') || undefined,
          ...(SIGNED.test(state) && { isWatchEnded: true }),
        },
      ),
  });
}

/** @param state of the parcel: it may deny a signature that a text tells. */
function scanOf(value: unknown, carrier: string, state: string): ReadScan | null {
  if (!isObject(value)) return null;
  const location = textOf(value, 'location') || textOf(value, 'areaName');
  const description = textOf(value, 'context');
  const place = location === '' && tellsPlace(description) ? description : location;
  const [read] = [textOf(value, 'time'), textOf(value, 'ftime')].flatMap((timeRaw) => {
    const resolved = resolveLocalTime(timeRaw, carrier, place);
    return resolved === null ? [] : [{ ...resolved, timeRaw }];
  });
  if (read === undefined) return null;
  const code = codeOf(value, 'statusCode') || (CODE_OF_NAME.get(textOf(value, 'status')) ?? '');
  return { scan: { ...read, location, description }, meaning: meaningOfScan(code, description, state), code };
}

/**
 * Kuaidi100's `state` (of the parcel) and `statusCode` (of a scan): a coarse digit, or a finer code that begins with
 * it.
 */
const meaningOfKnown = codeTable({
  // On its way
  '0': 'in_transit',
  '1001': 'in_transit', // reached the destination's city
  '1002': 'in_transit', // line haul
  '1003': 'in_transit', // forwarded
  '7': 'in_transit', // handed to another carrier
  '8': 'in_transit', // customs
  '10': 'in_transit',
  '11': 'in_transit',
  '12': 'in_transit',
  '13': 'customs',
  // Collection
  '1': 'in_transit',
  '101': 'info_received', // ordered
  '102': 'info_received', // waiting for collection
  '103': 'in_transit', // collected
  // Trouble
  '2': 'exception', // any kind
  '201': 'exception', // overdue
  '202': 'exception', // no news
  '203': REFUSED,
  '204': 'failed_attempt',
  '205': 'available_for_pickup', // overdue in a locker or at a pickup point
  '206': 'recipient_unavailable',
  '207': 'address', // outside the delivery area
  '208': 'held',
  '209': 'damaged',
  '210': 'cancelled',
  '401': 'cancelled',
  // Signed
  '3': 'delivered',
  '301': 'delivered', // by the receiver
  '302': 'delivered', // after trouble
  '303': 'delivered', // by someone for the receiver
  '304': 'available_for_pickup', // by a locker or a pickup point
  // Out for delivery
  '5': 'out_for_delivery',
  '501': 'available_for_pickup',
  // Refused, on its way back, back
  '14': REFUSED,
  '6': GOING_BACK,
  '4': 'returned',
});

/**
 * The names of the states that say more than that the parcel moves: some answers have the name of a scan's code
 * instead.
 */
const CODE_OF_NAME = new Map(
  Object.entries({
    已下单: '101',
    待揽收: '102',
    疑难: '2',
    超时未签收: '201',
    超时未更新: '202',
    拒收: '203',
    派件异常: '204',
    柜或驿站超时未取: '205',
    无法联系: '206',
    超区: '207',
    滞留: '208',
    破损: '209',
    销单: '210',
    已销单: '401',
    清关异常: '13',
    拒签: '14',
    签收: '3',
    本人签收: '301',
    派件异常后最终签收: '302',
    代签: '303',
    投柜或站签收: '304',
    派件: '5',
    投柜或驿站: '501',
    退签: '4',
    退回: '6',
    转投: '7',
  }),
);

/** Codes that only say that the parcel moves; the text of a scan may be more precise. */
const COARSE: ReadonlySet<string> = new Set(['0', '1', '1002']);
/** States in which a parcel was signed for, or may have been. */
const MAY_BE_SIGNED = /^(?:3\d*|4|6|14|401|)$/;
/** Signed for: Kuaidi100 stops tracking the parcel. */
const SIGNED = /^3(?:0\d)?$/;

/** The meaning of a scan by its own code and text. For coarse and unknown codes, the text decides. */
function meaningOfScan(code: string, text: string, state: string): ReadScan['meaning'] {
  const fine = meaningOfCode(code, text);
  if (fine) return fine;
  const read = meaningOfChinese(text);
  // Texts of signatures that the state of the parcel denies: handed to another carrier, or signed by mistake.
  return read?.status === 'delivered' && !MAY_BE_SIGNED.test(state) ? { status: 'in_transit' } : (read ?? 'silent');
}

/** The meaning of a code, if it says more than that the parcel moves; undefined for an unknown code. */
export function meaningOfCode(code: string, text: string): Meaning | undefined {
  const known = COARSE.has(code) ? undefined : meaningOfKnown(code);
  if (known === undefined) return undefined;
  if (SIGNED.test(code)) {
    if (handOverOf(text) !== null) return { status: 'in_transit' };
    return { status: signedBy(text) ?? (code === '304' ? 'available_for_pickup' : 'delivered') };
  }
  // Couriers also take parcels out of lockers again.
  if (code === '501' && isTakenOut(text)) return { status: 'in_transit' };
  return known;
}

/** Return codes with a fixed meaning; for 400 and 500 the message decides. */
const FAILURE_OF_RETURN_CODE = new Map(
  Object.entries<Failure>({
    '408': 'needs_input',
    '501': 'transient',
    '502': 'transient',
    '503': 'auth',
    '504': 'rate_limited',
    '505': 'rate_limited',
    '600': 'auth',
    '601': 'quota',
  }),
);

/**
 * The causes of a 400. Anything else concerns only the one number: an unknown wording must neither stop a
 * parcel permanently nor pause all others.
 */
const OUTCOME_OF_MESSAGE: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/单号不存在|无结果/, 'not_found'],
  [/余额|欠费|充值|额度|次数/, 'quota'],
  [/授权|签名|加密|customer|key/i, 'auth'],
  [/手机|电话|验证码|phone/i, 'needs_input'],
  [/单号[^，,。；;]{0,20}(?:错|误|非法|无效|不规范|不正确|不合法|不符)/, 'invalid_number'],
];
/** A 500 that means "no news yet, try later", not a server error. */
const NOTHING_YET = /结果|轨迹|隔段时间/;
const SERVER_FAULT = /服务器|系统|异常|繁忙|超时|稍后|server/i;

/**
 * The meaning of a code other than 200. 500 ("no result, ask again later") and 201 ("no such number, or expired") are
 * both not failures: a very new parcel looks the same. A 500 can also be a server error: its message decides.
 * @param isEmpty whether the answer has the form of a query's and is empty: a wrong key or customer is refused this
 *   way.
 */
function outcomeOf(code: string, message: string, isEmpty: boolean): Failure | 'not_found' {
  if (code === '201') return 'not_found';
  if (code === '500') return SERVER_FAULT.test(message) && !NOTHING_YET.test(message) ? 'transient' : 'not_found';
  const known = FAILURE_OF_RETURN_CODE.get(code);
  if (known || code !== '400') return known ?? 'unreadable';
  return OUTCOME_OF_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? (isEmpty ? 'auth' : 'unreadable');
}

/**
 * Kuaidi100's code for each of our carriers that it serves; the worldwide one if it has several. It does not serve
 * Cainiao, Royal Mail, Yamato, GOFO, Spee-Dee, Old Dominion, Wanb, J-NET or Amazon.
 */
export const COMPANIES: Readonly<Record<string, string>> = {
  // China, domestic
  'sf-express': 'shunfeng',
  yto: 'yuantong',
  zto: 'zhongtong',
  sto: 'shentong',
  yunda: 'yunda',
  jd: 'jd',
  jtexpress: 'jtexpress',
  'china-ems': 'ems',
  'china-post': 'youzhengguonei',
  'china-post-ecommerce': 'youzhengdsbk',
  'china-ems-international': 'emsguoji',
  'best-express': 'huitongkuaidi',
  'best-freight': 'baishiwuliu',
  deppon: 'debangkuaidi',
  ane: 'annengwuliu',
  'ane-express': 'ane66',
  'zto-freight': 'zhongtongkuaiyun',
  'sf-freight': 'shunfengkuaiyun',
  'jd-freight': 'jingdongkuaiyun',
  'yunda-freight': 'yundakuaiyun',
  kuayue: 'kuayue',
  danniao: 'danniao',
  zjs: 'zhaijisong',
  tiantian: 'tiantian',
  'uc-express': 'youshuwuliu',
  yimidida: 'yimidida',
  shunxin: 'sxjdfreight',
  // China, cross-border
  yunexpress: 'yuntrack',
  yanwen: 'yw56',
  '4px': 'disifang',
  cnexps: 'cnexps',
  sunyou: 'sypost',
  sfc: 'santaisudi',
  jcex: 'jcex',
  winit: 'winit',
  // Express, worldwide and regional
  ups: 'upsen',
  fedex: 'fedex',
  dhl: 'dhlen',
  'dhl-paket': 'dhlde',
  dpd: 'dpd',
  'dpd-uk': 'dpduk',
  gls: 'gls',
  tnt: 'tnten',
  yodel: 'yodel',
  evri: 'myhermes',
  'hermes-de': 'hermes_de',
  parcelforce: 'parcelforce',
  colissimo: 'colissimo',
  chronopost: 'chronopostfren',
  inpost: 'inpost_paczkomaty',
  seur: 'seur',
  'correos-express': 'correosexpress',
  mrw: 'mrw',
  tipsa: 'tipsa',
  asendia: 'asendia',
  landmark: 'landmarkglobal',
  ontrac: 'ontrac',
  lasership: 'lasership',
  purolator: 'purolator',
  canpar: 'canpar',
  estafeta: 'estafeta',
  aramex: 'aramex',
  fastway: 'fastway',
  sagawa: 'sagawa',
  't-cat': 'tcat',
  'ninja-van': 'ninjavan',
  'flash-express': 'flashexpress',
  'jtexpress-id': 'jet',
  'jtexpress-my': 'jtexpressmy',
  'jtexpress-ph': 'jtexpressph',
  'jtexpress-sg': 'jtexpresssg',
  'jtexpress-th': 'jtexpressth',
  'kerry-express': 'kerrythailand',
  delhivery: 'delhivery',
  'blue-dart': 'bluedart',
  xpressbees: 'xpressbees',
  ekart: 'ekart',
  toll: 'dpexen',
  couriersplease: 'couriersplease',
  sendle: 'sendle',
  brt: 'brt',
  'cj-logistics': 'doortodoor',
  imile: 'imile',
  jne: 'jne',
  sicepat: 'sicepat',
  anteraja: 'anteraja',
  tiki: 'tiki',
  'lion-parcel': 'lionparcel',
  wahana: 'wahana',
  lbc: 'lbc56',
  gdex: 'gdex',
  'city-link': 'citylink',
  'skynet-my': 'skynetmalaysia',
  'jtexpress-eg': 'jtexpresseg',
  'jtexpress-ae': 'jtexpressae',
  hanjin: 'hanjin',
  lotte: 'lotteglogis',
  logen: 'ilogen',
  'kerry-tj': 'kerrytj',
  'nova-poshta': 'novaposhta',
  dtdc: 'dtdcindia',
  'ecom-express': 'ecomexpress',
  shadowfax: 'shadowfax',
  gati: 'gatien',
  safexpress: 'safexpress',
  acs: 'acscourier',
  sda: 'italysad',
  matkahuolto: 'matkahuolto',
  smsa: 'smsaexpress',
  naqel: 'naqel',
  oca: 'ocaargen',
  'courier-guy': 'thecourierguy',
  'hunter-express': 'hunterexpress',
  // Posts
  usps: 'usps',
  'canada-post': 'canpost',
  'australia-post': 'auspost',
  'japan-post': 'japanposten',
  postnord: 'postenab',
  'emirates-post': 'emirates',
  'afghan-post': 'afghan',
  'albania-post': 'albania',
  haypost: 'haypost',
  'correo-argentino': 'correoargentino',
  'austrian-post': 'austria',
  azerpost: 'azerbaijan',
  'bh-posta': 'bohei',
  'barbados-post': 'barbados',
  bpost: 'belgiumpost',
  sonapost: 'sonapost',
  'bulgarian-posts': 'bulgarian',
  'bahrain-post': 'bahrain',
  'benin-post': 'benin',
  'brunei-post': 'brunei',
  'bolivia-post': 'bolivia',
  'correios-brazil': 'brazilposten',
  'bhutan-post': 'bhutan',
  'botswana-post': 'botspost',
  belpost: 'belpost',
  'belize-post': 'belize',
  'swiss-post': 'swisspost',
  'correos-chile': 'chile',
  'colombia-post': 'colombia',
  'correos-costa-rica': 'correos',
  'czech-post': 'ceskaposta',
  'deutsche-post': 'deutschepost',
  'djibouti-post': 'djibouti',
  inposdom: 'inposdom',
  'algeria-post': 'algeria',
  'correos-ecuador': 'ecuador',
  omniva: 'omniva',
  'egypt-post': 'egypt',
  eripost: 'eripostal',
  'correos-spain': 'correosdees',
  'ethiopian-post': 'ethiopian',
  posti: 'finland',
  'post-fiji': 'fiji',
  'la-poste': 'csuivi',
  'georgian-post': 'georgianpost',
  'ghana-post': 'ghanapost',
  elta: 'elta',
  'guyana-post': 'guyana',
  'hongkong-post': 'hkpost',
  honducor: 'honduras',
  'croatian-post': 'hrvatska',
  'magyar-posta': 'hungary',
  'pos-indonesia': 'posindonesia',
  'an-post': 'anposten',
  'israel-post': 'israelpost',
  'india-post': 'india',
  'iran-post': 'iran',
  'iceland-post': 'iceland',
  'poste-italiane': 'italiane',
  'jamaica-post': 'jamaicapost',
  'jordan-post': 'jordan',
  'posta-kenya': 'kenya',
  'kyrgyz-post': 'kyrgyzpost',
  'cambodia-post': 'cambodia',
  'korea-post': 'koreapost',
  kazpost: 'kazpost',
  'lao-post': 'lao',
  libanpost: 'libanpost',
  'saint-lucia-post': 'stlucia',
  'sri-lanka-post': 'slpost',
  'lesotho-post': 'lesotho',
  'luxembourg-post': 'luxembourg',
  'latvia-post': 'latvia',
  'morocco-post': 'morocco',
  'moldova-post': 'moldova',
  'montenegro-post': 'montenegro',
  'macedonia-post': 'macedonia',
  'mongol-post': 'mongolpost',
  'macau-post': 'macao',
  'malta-post': 'malta',
  'mauritius-post': 'mauritius',
  'correos-mexico': 'mexico',
  'pos-malaysia': 'malaysiapost',
  'correios-mozambique': 'correios',
  nampost: 'namibia',
  'nigerian-post': 'nigerianpost',
  postnl: 'postnl',
  'posten-norge': 'postennorge',
  'nepal-post': 'nepalpost',
  'new-zealand-post': 'newzealand',
  'oman-post': 'oman',
  'correos-panama': 'panama',
  serpost: 'peru',
  'post-png': 'postpng',
  phlpost: 'phlpost',
  'pakistan-post': 'pakistan',
  'poczta-polska': 'emonitoring',
  ctt: 'portugalctt',
  'correo-paraguayo': 'paraguay',
  'qatar-post': 'qpost',
  'posta-romana': 'romanian',
  'serbia-post': 'serbia',
  'rwanda-post': 'rwanda',
  'solomon-post': 'solomon',
  sudapost: 'sudapost',
  'singapore-post': 'singpost',
  'slovenia-post': 'slovenia',
  'slovak-post': 'slovak',
  'senegal-post': 'laposte',
  surpost: 'surpost',
  'correos-el-salvador': 'salvador',
  'syrian-post': 'republic',
  'eswatini-post': 'swaziland',
  'togo-post': 'togo',
  'thailand-post': 'thailand',
  'tunisia-post': 'tunisia',
  ptt: 'ptt',
  'chunghwa-post': 'postserv',
  'tanzania-post': 'tanzania',
  ukrposhta: 'ukrpostcn',
  'posta-uganda': 'uganda',
  'correo-uruguayo': 'correo',
  'uzbekistan-post': 'uzbekistan',
  'svg-post': 'svgpost',
  'vietnam-post': 'vietnam',
  'vanuatu-post': 'vanuatu',
  'samoa-post': 'samoa',
  'yemen-post': 'yemen',
  'south-african-post': 'southafrican',
  zampost: 'zampost',
};

/** The company to query for a carrier's number; undefined for a carrier that Kuaidi100 does not serve. */
export function companyOf(carrier: string, number: string): string | undefined {
  const special = BY_NUMBER.find(([code, pattern]) => code === carrier && pattern.test(number));
  return special?.[2] ?? COMPANIES[carrier];
}

/** Our carriers whose numbers of this form Kuaidi100 has under a company. */
export function carriersOf(company: string, number: string): string[] {
  return Object.keys(COMPANIES).filter((carrier) => companyOf(carrier, number) === company);
}

/** Where a carrier's numbers go to several companies there: the number decides. */
const BY_NUMBER: readonly (readonly [carrier: string, number: RegExp, company: string])[] = [
  ['china-post', /^[A-Z]{2}\d{9}CN$/, 'chinapost'],
  ['postnord', /^[A-Z]{2}\d{9}DK$/, 'postdanmarken'],
  ['pos-malaysia', /^[CE][A-Z]\d{9}MY$/, 'malaysiaems'],
  ['singapore-post', /^E[A-Z]\d{9}SG$/, 'speedpost'],
  ['dpd', /^\d{13}[A-Z]$/, 'dpdpoland'],
  ['vietnam-post', /^E[A-Z]\d{9}VN$/, 'vnpost'],
];

/**
 * Further companies of our carriers: other services, countries and languages. Answers name them; we do not query them.
 */
export const ALSO: Readonly<Record<string, string>> = {
  'china-post': 'youzhengbk',
  'china-ems': 'emsen emsbg emswuliu',
  'china-ems-international': 'emsinten',
  jcex: 'jiacheng',
  ups: 'ups',
  fedex: 'fedexus fedexcn fedexuk fedexukcn',
  dhl: 'dhl dhlbenelux dhlnetherlands dhlpoland dhlhk',
  tnt: 'tnt tntitaly tntuk',
  dpd: 'dpdgermany dpd_ireland',
  gls: 'glsitaly',
  evri: 'hermes',
  'hermes-de': 'hermesworld',
  parcelforce: 'england parcelforcecn',
  chronopost: 'chronopostfra chronopostport',
  seur: 'portugalseur',
  sagawa: 'sagawaen',
  'cj-logistics': 'cjkoreaexpress',
  toll: 'tollpriority',
  'flash-express': 'flashexpressen',
  'kerry-express': 'kerrythailanden',
  usps: 'uspscn',
  'canada-post': 'canpostfr',
  'japan-post': 'japanpost',
  postnord: 'ruidianyouzheng ruidianyouzhengen',
  bpost: 'bpostinter',
  ctt: 'portugalctten',
  elta: 'eltahell',
  'ethiopian-post': 'ethiopia',
  'hongkong-post': 'hkposten',
  'korea-post': 'koreapostcn koreapostkr',
  'latvia-post': 'latviaen',
  'luxembourg-post': 'luxembourgde luxembourgfr',
  'pos-indonesia': 'indonesia',
  postnl: 'postnlcn postnlpacle postnlchina nederlandpost',
  'south-african-post': 'emssouthafrica',
  'swiss-post': 'swisspostcn',
  ukrposhta: 'emsukraine emsukrainecn ukraine',
};

const CARRIERS = new Map<string, string>([
  ...Object.entries(ALSO).flatMap(([carrier, names]) => names.split(' ').map((name) => [name, carrier] as const)),
  ...BY_NUMBER.map(([carrier, , company]) => [company, carrier] as const),
  ...Object.entries(COMPANIES).map(([carrier, company]) => [company, carrier] as const),
]);

/** Our code for a company of Kuaidi100's; null for one that we do not know. */
export function carrierOf(company: string): string | null {
  return CARRIERS.get(company) ?? null;
}
