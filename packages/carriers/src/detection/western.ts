import { gs1, luhn, mod7, mod10WithLetters, mod11mod10, mod37_36 } from './check-digits.ts';
import { type Format, TYPO } from './format.ts';

/** SmartPost numbers leave out the 92 of the postal barcode they travel under, which their check digit counts. */
const with92 = (digits: string) => gs1(`92${digits}`);

/** A number that S10 describes belongs to a post, whatever its letters remind of. */
const NOT_S10 = String.raw`(?![A-Z]{2}\d{9}[A-Z]{2}$)`;

/** Numbers of the express and freight carriers outside China. */
// biome-ignore format: one form per line reads as the table it is
export const WESTERN: readonly Format[] = [
  ['ups', /^1Z([A-Z0-9]{15}\d)$/, 95, mod10WithLetters, TYPO],
  ['ups', /^[AHJKTV](\d{10})$/, 75, mod10WithLetters],

  ['fedex', /^\d{12}$/, 60, mod11mod10],
  ['fedex', /^\d{15}$/, 58, gs1],
  ['fedex', /^0\d(\d{16})$/, 60, gs1],
  ['fedex', /^[1-9]\d(\d{16})$/, 35, gs1],
  ['fedex', /^61\d{18}$/, 75, with92],
  ['fedex', /^96\d{5}(\d{15})$/, 93, gs1, TYPO],
  ['fedex', /^3\d{15}(\d{12})\d{4}$/, 80, mod11mod10],
  ['fedex', /^[0-8]\d{19}(\d{14})$/, 80, mod11mod10],
  ['fedex', /^96\d{18}(\d{14})$/, 93, mod11mod10, TYPO],

  ['dhl', /^\d{10}$/, 60, mod7],
  ['dhl', /^\d{11}$/, 50, mod7],
  ['dhl', /^JJD\d{9,10}$/, 75],
  ['dhl', /^J[A-Z]{2}\d{10}$|^J[A-Z]{3}\d{9,10}$/, 60],
  ['dhl', /^J[A-Z]{2}\d{9}$/, 35],
  ['dhl', /^GM\d[0-9A-Z]{9,38}$/, 80],
  ['dhl', new RegExp(`^${NOT_S10}(?:LX|RX|UV|CN|SG|TH|IN|HK|MY)\\d[0-9A-Z]{9,38}$`), 50],
  ['dhl', /^6012\d{10}$/, 60],
  ['dhl', /^\d{14}$/, 11],

  ['dpd', /^(\d{27}[0-9A-Z])$/, 92, mod37_36],
  ['dpd', /^\d{14}[A-Z]$/, 88, mod37_36, TYPO],
  ['dpd', /^[01]\d{14}$/, 66, mod37_36],
  ['dpd', /^[2-9]\d{14}$/, 52, mod37_36],
  ['dpd', /^[01]\d{13}$/, 25],

  ['old-dominion', /^(?:77[78]|072|780)\d{8}$/, 70, luhn],
  ['old-dominion', /^80\d{9}$/, 65, luhn],

  ['purolator', /^[0-5]\d{11}$/, 40, luhn],
  ['purolator', /^[A-Z]{3}\d{9}$/, 50],
  ['canpar', /^[CDKLSUXZ]\d{21}$/, 80],

  ['amazon', /^TB[ACM]\d{12}$/, 95],
  ['amazon', /^[AFC]\d{10}$/, 45],
  ['ontrac', /^[CD]\d{14}$/, 88, mod10WithLetters, TYPO],
  ['lasership', /^L[AIEHNX][1-3]\d{7}$/, 75],
  ['lasership', /^1LS7[12]\d{10}$|^1LS7[12]\d{2}01[1-4]\d{6}1$|^1LSCX[0-9A-Z]{10}$/, 90],
  ['gofo', /^GFUS\d{14}$/, 95],
  ['speedee', /^SP\d{18}$/, 85],
  ['landmark', /^LTN\d{8}N1$/, 95],
  ['yodel', /^JJ?D\d{16}$/, 88],

  ['yamato', /^\d{12}$/, 11, mod7],
  ['sagawa', /^\d{12}$/, 11, mod7],
  ['gls', /^\d{11,12}$/, 8],
  ['gls', /^(?![A-Z]{8}$)[A-Z0-9]{8}$/, 5],
];
