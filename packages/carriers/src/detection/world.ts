import { type Format, gs1, mod7 } from './format.ts';

/** CJ Logistics counts the serial behind the two digits of the year; older numbers counted the whole. */
const mod7OfSerial = (digits: string) => mod7(digits.slice(2));
/** A number in S10 format belongs to a post, whatever its letters suggest. */
const NOT_S10 = String.raw`(?![A-Z]{2}\d{9}[A-Z]{2}$)`;

/**
 * Numbers of the carriers of Asia, Eastern Europe, Latin America, Africa and Oceania; their posts' numbers at home are
 * in `posts.ts`. Most have no check digit.
 *
 * A form of 9 says that the carrier's numbers merely look like this: it counts only with evidence of the carrier's
 * country (`choose-carrier.ts`). A check digit that one number in seven has by chance is no evidence either: twelve
 * digits are worth less with it than the form of the most frequent carrier of that length, SF.
 */
// biome-ignore format: one form per line is readable as a table
export const WORLD: readonly Format[] = [
  // India
  ['delhivery', /^1[4-9]\d{11}$/, 42],
  ['delhivery', /^\d{13}$/, 9],
  ['delhivery', /^1\d{13}$/, 26],
  ['delhivery', /^[2-4]\d{13}$/, 18],
  ['dtdc', /^7X\d{9}$/, 88],
  ['dtdc', /^7[A-Z]\d{9}$/, 78],
  ['dtdc', /^[A-Z]\d{8}$/, 40],
  ['xpressbees', /^1411\d{10}$/, 32],
  ['xpressbees', /^\d{14}$/, 9],
  ['ekart', /^FMP[CP]\d{10}$/, 85],
  ['ekart', /^MYSR\d{10}$/, 78],
  ['blue-dart', /^\d{11}$/, 11],
  ['ecom-express', /^\d{10}$/, 9],
  // Vietnam: GHN's codes of eight characters are nearly all letters.
  ['ghn', /^VNGH\d{11}$/, 92],
  ['ghn', /^(?![A-Z]{8}$)G[A-Z0-9]{7}$/, 45],
  ['ghn', /^(?=[A-Z]{0,7}\d[A-Z]{0,7}$)[A-Z0-9]{8}$/, 12],
  ['ghn', /^(?![A-Z]{8}$)[A-Z0-9]{8}$/, 9],
  ['viettel-post', /^SHOPEEVTPVN\d{12}[A-Z]?$/, 92],
  ['viettel-post', /^VT\d{10}$/, 60],
  ['jtexpress-vn', /^8\d{11}$/, 9],
  // Indonesia
  ['jne', /^TG\d{10}$/, 72],
  ['jne', /^CGK[A-Z0-9]{9,13}$/, 55],
  ['jne', /^\d{16}$/, 14],
  ['jne', /^\d{15}$/, 9],
  ['sicepat', /^00[0-5]\d{9}$/, 62],
  ['tiki', /^03\d{10}$/, 26],
  ['anteraja', /^1[01]000\d{9}$/, 74],
  ['anteraja', /^TSA[A-Z0-9]{7,12}$/, 60],
  ['lion-parcel', /^11LP\d{13}$/, 92],
  ['id-express', /^ID[ES]\d{12}$/, 90],
  ['id-express', /^IDE\d{10,11}$/, 80],
  ['sap-express', /^MIS\d{16}$/, 60],
  ['wahana', /^[A-Z]{3}\d{5}$/, 9],
  ['jtexpress-id', /^J[PXZ]\d{10}$/, 85],
  ['lazada', /^LEX[A-Z]{2}\d{8,12}$/, 75],
  ['lazada', /^LX[A-Z]{2}\d{10}$/, 78],
  // South-east Asia
  ['ninja-van', /^NV(?:SG|MY|PH|ID|TH|VN)[A-Z0-9]{6,20}$/, 85],
  ['ninja-van', /^NIN(?:JA?)?[A-Z]{0,4}\d[A-Z0-9]{5,18}$/, 75],
  // What Lazada hands over to it: the country stands behind the marketplace.
  ['ninja-van', /^NL(?:SG|MY|PH|ID|TH|VN)[A-Z]{2}\d{8,14}$/, 75],
  ['ninja-van', /^[A-Z]{9}\d{9}$/, 40],
  ['shopee-xpress', /^SPX(?:BR|ID|MY|PH|SG|TH|TW|VN)\d{8,14}[0-9A-Z]$/, 88],
  ['jtexpress-sg', /^JT\d{14}$/, 72],
  ['jtexpress-mx', /^JMX\d{12}$/, 90],
  ['jtexpress-my', /^6[37]0\d{9}$/, 9],
  ['lbc', /^71001\d{9}$/, 80],
  ['lbc', /^\d{12}$/, 9],
  ['lbc', /^8\d{10}$/, 9],
  ['kerry-express', /^KER[A-Z]{2}\d{9}$/, 90],
  ['kerry-express', /^KER[A-Z0-9]{9,12}$/, 80],
  ['kerry-express', /^KEX[A-Z0-9]{8,12}$/, 75],
  // Letters behind the first digits are Flash's; DHL eCommerce has numbers without.
  ['flash-express', new RegExp(`^${NOT_S10}TH\\d{3,7}[A-Z][A-Z0-9]{2,9}$`), 78],
  ['flash-express', new RegExp(`^${NOT_S10}TH\\d{8,14}$`), 52],
  // Korea
  ['cj-logistics', /^\d{10}$/, 30, mod7OfSerial],
  ['cj-logistics', /^\d{10}$/, 30, mod7],
  ['cj-logistics', /^\d{10}$/, 9],
  ['cj-logistics', /^\d{12}$/, 18, mod7OfSerial],
  ['cj-logistics', /^\d{12}$/, 16, mod7],
  ['hanjin', /^\d{12}$/, 17, mod7],
  ['lotte', /^\d{12}$/, 17, mod7],
  // DHL has the same check digit.
  ['logen', /^\d{11}$/, 30, mod7],
  // Japan and Taiwan
  ['yamato', /^\d{12}$/, 19, mod7],
  ['sagawa', /^\d{12}$/, 19, mod7],
  ['t-cat', /^\d{12}$/, 15, mod7],
  ['t-cat', /^\d{12}$/, 9],
  // Ukraine and Russia
  ['nova-poshta', /^20[4-6]\d{11}$/, 78],
  ['nova-poshta', /^59\d{12}$/, 74],
  ['nova-poshta', /^1\d{13}$/, 14],
  ['nova-poshta', /^[A-Z]{2}[A-Z0-9]{8,14}NP[GI]$/, 92],
  ['meest', /^MYCV\d{9}[A-Z]{2}$/, 85],
  ['cdek', /^1[0-4]\d{8}$/, 40],
  ['cdek', /^10\d{9}$/, 34],
  // South-eastern and Central Europe
  ['speedy', /^6[1-4]\d{9}$/, 52],
  ['econt', /^105\d{10}$/, 68, gs1],
  ['econt', /^105\d{10}$/, 58],
  ['fan-courier', /^2\d{12}$/, 26],
  ['cargus', /^CRG\d{10}$/, 85],
  ['cargus', /^1\d{9}$/, 9],
  ['acs', /^\d{10}$/, 9],
  ['foxpost', /^CLFOX[A-Z0-9]{8,16}$/, 92],
  ['ppl', /^\d{11}$/, 9],
  ['dhl-ecommerce-pl', /^2\d{10}$/, 31],
  ['dhl-ecommerce-pl', /^1\d{10}$/, 24],
  ['dhl-ecommerce-pl', /^000\d{21}$/, 60],
  ['aras', /^\d{13}$/, 9],
  ['yurtici', /^\d{12}$/, 9],
  // Middle East
  ['smsa', /^2[89]\d{10}$/, 27],
  ['aramex', /^[34]\d{10}$/, 20],
  ['aramex', /^\d{11}$/, 12],
  // Most numbers of ten digits are DHL's: one with a wrong check digit is a typing error, not a number of Aramex.
  ['aramex', /^\d{10}$/, 9],
  // Latin America
  ['andreani', /^36000\d{10}$/, 84],
  ['jtexpress-br', /^88803\d{10}$/, 84],
  ['estafeta', /^[0-8]055\d{18}$/, 60],
  ['estafeta', /^[0-8]\d{21}$/, 14],
  // Older waybills have the letter of the service behind the account.
  ['estafeta', /^\d{12}[A-Z]\d{9}$/, 80],
  ['estafeta', /^\d{10}$/, 9],
  ['coordinadora', /^\d{11}$/, 9],
  ['servientrega', /^\d{10}$/, 9],
  // Oceania
  ['team-global-express', /^888\d{10}$/, 46, gs1],
  ['aramex-au', /^[A-Z]{2}\d{10}$/, 9],
  ['aramex-nz', /^[A-Z]{2}\d{10}$/, 9],
];
