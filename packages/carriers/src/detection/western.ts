import {
  type Format,
  gs1,
  identcode,
  luhn,
  mod7,
  mod10WithLetters,
  mod11mod10,
  mod37_36,
  s10,
  TYPO,
} from './format.ts';

/** SmartPost numbers leave out the 92 of the postal barcode they travel under, which their check digit counts. */
const with92 = (digits: string) => gs1(`92${digits}`);

/**
 * Letters with which numbers of other carriers begin: with digits missing or too many, they would look like Colis
 * Privé's.
 */
const NOT_OTHERS = '(?!CN|DD|DP|GM|HK|ID|J[A-Z]|KY|L[ABD-Z]|MY|NV|PX|RX|SF|SG|SP|SY|TB|TG|TH|TT|UV|V[A-CT]|WO|YT)';

/** A number in S10 format belongs to a post, whatever its letters suggest. */
const NOT_S10 = String.raw`(?![A-Z]{2}\d{9}[A-Z]{2}$)`;

/** Numbers of the express and freight carriers of Western and Central Europe and North America. */
// biome-ignore format: one form per line is readable as a table
export const WESTERN: readonly Format[] = [
  ['ups', /^1Z([A-Z0-9]{15}\d)$/, 95, mod10WithLetters, TYPO],
  ['ups', /^[AHJKTV](\d{10})$/, 75, mod10WithLetters],
  // Mail Innovations: its account, and up to 22 characters of the sender.
  ['ups', new RegExp(`^${NOT_S10}MI\\d{6}[A-Z0-9]{4,22}$`), 65],

  // YTO's old waybills have eighteen digits as well.
  ['ups', /^8[1-49]\d{16}$/, 48],
  ['ups', /^8\d{17}$/, 36],
  ['fedex', /^\d{12}$/, 50, mod11mod10],
  ['fedex', /^\d{15}$/, 58, gs1],
  ['fedex', /^0\d(\d{16})$/, 60, gs1],
  ['fedex', /^[1-9]\d(\d{16})$/, 35, gs1],
  ['fedex', /^61\d{18}$/, 75, with92],
  ['fedex', /^(?:02|41|74)\d{18}$/, 60, with92],
  ['fedex', /^96\d{5}(\d{15})$/, 93, gs1, TYPO],
  ['fedex', /^3\d{15}(\d{12})\d{4}$/, 80, mod11mod10],
  ['fedex', /^[0-8]\d{19}(\d{14})$/, 80, mod11mod10],
  ['fedex', /^96\d{18}(\d{14})$/, 93, mod11mod10, TYPO],

  ['dhl', /^\d{10}$/, 60, mod7],
  ['dhl', /^\d{11}$/, 50, mod7],
  ['dhl', /^JJD\d{9,10}$/, 75],
  // Not those of JD Logistics, which have a digit more.
  ['dhl', /^J[A-CE-Z][A-Z]\d{10}$|^J[A-CE-Z][A-Z]{2}\d{9,10}$/, 60],
  ['dhl', /^J[A-CE-Z][A-Z]\d{9}$/, 35],
  // DHL Parcel in the Benelux countries.
  ['dhl', /^JVGL\d{14,20}$/, 85],
  ['dhl', new RegExp(`^${NOT_S10}GM\\d[0-9A-Z]{9,38}$`), 80],
  ['dhl', new RegExp(`^${NOT_S10}(?:LX|RX|UV|CN|SG|TH|IN|HK|MY)\\d[0-9A-Z]{9,38}$`), 50],
  ['dhl', /^6012\d{10}$/, 60],
  ['dhl', /^JD01\d{16}$/, 80],
  ['dhl', /^\d{14}$/, 11],
  // DHL's company prefix in Germany in a serial shipping container code (GS1), and its licence plates.
  ['dhl-paket', /^00(34043\d{13})$/, 94, gs1, TYPO],
  ['dhl-paket', /^JJD0003\d{14,17}$/, 92],
  ['dhl-paket', /^JJD\d{17,20}$/, 80],
  ['dhl-paket', /^\d{12}$/, 19, identcode],

  ['dpd', /^(\d{27}[0-9A-Z])$/, 92, mod37_36],
  ['dpd', /^\d{14}[A-Z]$/, 88, mod37_36, TYPO],
  ['dpd', /^[01]\d{14}$/, 66, mod37_36],
  ['dpd', /^[2-9]\d{14}$/, 52, mod37_36],
  ['dpd', /^0\d{13}$/, 27],
  ['dpd', /^1\d{13}$/, 24],
  // Poland's waybills; other letters than U are older.
  ['dpd', /^\d{13}U$/, 82],
  ['dpd', /^\d{13}[A-Z]$/, 25],
  ['dpd-uk', /^15[05-9]\d{11}$/, 30],
  // A depot of DPD UK is more specific than the form of all parcels of DPD.
  ['dpd-uk', /^15[05-9]\d{11}[A-Z]$/, 92, mod37_36, TYPO],

  ['old-dominion', /^(?:77[78]|072|780)\d{8}$/, 70, luhn],
  ['old-dominion', /^80\d{9}$/, 65, luhn],

  ['purolator', /^[23]\d{11}$/, 40, luhn],
  ['purolator', /^[0145]\d{11}$/, 19, luhn],
  ['purolator', /^(?!STO|DPK|JD|SF|YT)[A-Z]{3}\d{9}$/, 50],
  ['canpar', /^[CDKLSUXZ]\d{21}$/, 80],

  ['amazon', /^TB[ACM]\d{12}$/, 95],
  ['amazon', /^[AFC]\d{10}$/, 45],
  ['ontrac', /^[CD]\d{14}$/, 88, mod10WithLetters, TYPO],
  // Those that it took over from LaserShip.
  ['ontrac', /^(?:BN|LS)\d{8}$/, 72],
  ['ontrac', /^LX[1-3]\d{7}$/, 64],
  ['ontrac', /^1LS[0-9A-Z]{12,14}$/, 68],
  ['lasership', /^L[AEHIMNX][1-3]\d{7}$/, 75],
  ['lasership', /^L[AEHIMNX][1-3]\d{7,9}$/, 60],
  ['lasership', /^1LS7[12]\d{10}$|^1LS7[12]\d{2}01[1-4]\d{6}1$|^1LSCX[0-9A-Z]{10}$/, 90],
  // The last digit of seventeen characters counts the packages, nearly always one.
  ['lasership', /^1LS\d{12,13}$|^1LS\d{13}1$|^1LS\d{15,16}$|^1LSC[A-Y][0-9A-Z]{10}$/, 80],
  ['gofo', /^GFUS\d{14}$/, 95],
  ['speedee', /^SP\d{18}$/, 85],
  // The letters of an airport; Shopee has those of a country.
  ['speedx', /^SPX[A-Z]{3}\d{12}$/, 92],
  ['speedx', /^SPX[A-Z]{3}\d{8,11}$|^SPX[A-Z]{3}\d{13,15}$/, 75],
  ['pitney-bowes', /^UPA[A-Z]{2}\d{13,18}$/, 90],
  ['pitney-bowes', /^PBX[A-Z]{2}\d{9,15}$/, 75],
  ['landmark', /^LTN\d{8}N1$/, 95],
  ['yodel', /^JJ?D\d{16}$/, 88],
  ['yodel', /^8YDR\d{9}$/, 85],

  // Three digits of the shop and the letter of the service stand before Evri's serial.
  ['evri', /^[CHPT]\d{2}[A-Z0-9]{2}A\d{10}$/, 90],
  ['evri', /^[A-Z]\d{2}[A-Z0-9]{2}[A-Z]\d{10}$/, 80],
  ['evri', /^\d{16}$/, 12],
  // Any letters: a number with a digit missing looks the same.
  ['parcelforce', /^[A-Z]{4}\d{10}$/, 9],
  ['parcelforce', /^[A-Z]{2}\d{7}$/, 9],
  ['hermes-de', /^H\d{19}$/, 88],
  ['hermes-de', /^\d{14}$/, 12],
  ['inpost', /^(?:52|6\d)\d{22}$/, 78],
  ['inpost', /^\d{24}$/, 30],
  // Twelve characters, alone or with the postcode of the destination.
  ['colis-prive', new RegExp(`^${NOT_OTHERS}[A-Z]{2}\\d{10}$`), 30],
  ['colis-prive', new RegExp(`^${NOT_OTHERS}[A-Z]{2}\\d{15}$`), 30],
  ['colis-prive', /^LC\d{10}$/, 45],
  ['colis-prive', /^Q\d{11}[BL]\d{4}$/, 85],
  ['colis-prive', /^[A-Z]\d{11}$/, 25],
  ['colis-prive', /^[A-Z]\d{16}$/, 25],
  ['colis-prive', /^\d{17}$/, 20],
  ['colissimo', /^[689][A-Z]\d{11}$/, 50],
  ['colissimo', /^[57][A-Z]\d{11}$/, 40],
  // In the form of S10 items: those of countries that do not exist, and letters that La Poste's own do not have.
  ['chronopost', /^X[A-Z](\d{9})(?:FR|JB|JF|TS)$/, 92, s10, TYPO],
  ['brt', /^\d{12}$/, 10],
  ['brt', /^0\d{13}$/, 24],
  ['brt', /^\d{14}$/, 13],
  ['brt', /^\d{19}$/, 40],
  ['geodis', /^1G[A-Z0-9]{10}$/, 86],
  ['fastway', /^3H0001\d{6}$/, 60],
  ['dao', /^00057151271\d{9}$/, 95],
  ['mrw', /^\d{5}[A-Z]\d{6}$/, 65],
  ['mrw', /^0\d{11}$/, 9],
  ['seur', /^0\d{13}$/, 9],
  ['correos-express', /^(?:3230|3300|7983|9[09]83)00\d{10}$/, 60],
  ['mondial-relay', /^\d{8}$|^\d{10}$/, 9],
  ['ctt-express', /^00828\d{17}$/, 75],
  ['packeta', /^Z\d{10}$/, 75],
  ['tnt', /^[A-Z]{2}\d{9}WW$/, 75],
  ['uniuni', /^UUS[A-Z0-9]{10,20}$/, 82],
  ['uniuni', /^4C\d{9}US$/, 85],
  ['uniuni', /^U9999\d{11}$/, 85],

  ['gls', /^LT\d{9}$/, 60],
  ['gls', /^\d{2}(?:B[A-Z0-9]{5}|AE[A-Z0-9]{4})$/, 60],
  ['gls', /^\d{11}$/, 15],
  ['gls', /^\d{12}$/, 8],
  ['gls', /^(?![A-Z]{8}$)[A-Z0-9]{8}$/, 5],
];
