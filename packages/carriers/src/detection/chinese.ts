import { type Format, s10, TYPO } from './format.ts';

/**
 * Numbers of Chinese carriers. Almost none has a check digit: prefix and length are all there is.
 *
 * Only a prefix that no other carrier of that length uses is worth 70 or more. Where several carriers share a form,
 * their confidences stay near each other, and the most frequent one of that length comes first (12 digits: SF, ZTO,
 * STO, YTO, Best; 13: EMS, China Post, Yunda, STO; 14: ZTO, Best, J&T; 15: STO, Yunda). A range that was a carrier's
 * puts it before the others.
 */
// biome-ignore format: one form per line is readable as a table
export const CHINESE: readonly Format[] = [
  // Letters
  ['sf-express', /^SF\d{13}$/, 90],
  ['sf-express', /^SF[0-9A-Z]?\d{12}$/, 80],
  ['sf-express', /^SF\d{14}$/, 70],
  ['yto', /^YT\d{13}$/, 90],
  ['yto', /^YT[A-Z]\d{12}$/, 75],
  ['yto', /^(?:[A-Z]\d|\d[A-Z]|DD)\d{10}$/, 35],
  ['yto', /^DD[89]\d{15}$/, 60],
  ['sto', /^STO\d{10}$/, 85],
  ['jd', /^JD[A-Z]{1,2}\d{11,12}$/, 88],
  ['jd', /^JD[A-Z0-9]{2}\d{11}$/, 80],
  ['jd', /^JD\d{13}$/, 72],
  // A parcel of several: the waybill, and the parcel's own digits.
  ['jd', /^JD[A-Z]{1,2}\d{13,16}$/, 72],
  ['jd', /^V[A-C]\d{11}$/, 50],
  ['jtexpress', /^JT\d{13}$/, 90],
  ['jtexpress', /^JT\d{12}$/, 60],
  ['best-express', /^[ABDE]\d{12}$/, 50],
  ['best-express', /^BXA\d{10}$/, 70],
  // J&T took over Best's domestic parcels.
  ['best-express', /^JT\d{12,13}$/, 20],
  ['tiantian', /^TT\d{13}$/, 80],
  ['zjs', /^A\d{12}$/, 42],
  ['china-post', /^P[A-Z]\d{11}$/, 60],
  ['deppon', /^DPK\d{12}$/, 92],
  ['deppon', /^DP[A-Z]\d{12}$/, 80],
  ['kuayue', /^KY\d{13}$/, 88],

  // 8 to 10 characters
  ['yto', /^(?:[A-Z]\d|\d[A-Z])\d{8}$/, 20],
  ['yto', /^\d{10}$/, 9],
  ['deppon', /^\d{8,10}$/, 8],
  // JD's order numbers.
  ['jd', /^\d{11}$/, 16],

  // 12 digits, the old waybills of many Chinese carriers: a range is worth little, the length almost nothing.
  ['4px', /^(?:3023|3036|3042)\d{8}$/, 55],
  ['ane', /^300\d{9}$/, 30],
  ['zto-freight', /^202\d{9}$/, 30],
  ['zto', /^(?:2008|2010|8050|7518)\d{8}$|^(?:3[67]|5[3-6]|6[346]|72)\d{10}$/, 25],
  ['zto', /^(?:[67]18|[67]28|6[18]8|[67]80|7[0156][17]|7[1-3]7|738|76[1-35]|779|828|852|88[0128]|988|571|751)\d{9}$/, 26],
  ['zto', /^(?:4[0-35-9]|9[1-5])\d{10}$/, 22],
  ['zto', /^\d{12}$/, 18],
  ['sto', /^(?:[2-9]68|388|588|688|888|900)\d{9,10}$/, 25],
  ['sto', /^22\d{10}$/, 24],
  ['sto', /^\d{12}$/, 16],
  ['yto', /^8[0-35-8]\d{10}$/, 17],
  ['yto', /^[1-9]000\d{8}$/, 27],
  ['yto', /^80[346]\d{9}$/, 24],
  ['yto', /^\d{12}$/, 12],
  ['best-express', /^(?:2[1-9]|3\d|5[01]|70)\d{10}$/, 17],
  ['best-express', /^\d{12}$/, 10],
  ['sf-express', /^\d{12}$/, 20],

  // 13 digits: EMS and China Post today; Yunda and STO until 2020.
  ['china-ems', /^1[0-3]\d{11}$/, 64],
  ['china-ems', /^(?:5[012]|95|97)\d{11}$/, 58],
  ['china-ems', /^9[89]\d{11}$/, 52],
  ['china-post', /^9[689]\d{11}$/, 58],
  ['china-post', /^[89]\d{12}$/, 45],
  ['china-post', /^43\d{11}$/, 34],
  // Both had these; most of them are Yunda's.
  ['yunda', /^(?:1000|1201)\d{9}$/, 66],
  ['yunda', /^1\d{12}$/, 40],
  ['yunda', /^39\d{11}$/, 62],
  ['yunda', /^3[018]\d{11}$/, 40],
  ['yunda', /^43[01]\d{10}$/, 38],
  ['yunda', /^(?:5\d|66|77|80|88)\d{11}$/, 32],
  ['yunda', /^\d{13}$/, 28],
  ['sto', /^(?:33|55|66|77)\d{11}$/, 38],
  ['sto', /^(?:4\d|88|99)\d{11}$/, 30],
  ['sto', /^\d{13}$/, 18],
  ['best-express', /^02\d{11}$|^000\d{10}$/, 32],

  // 14 digits: ZTO's, except for former ranges of Best.
  ['zto', /^7[3568]\d{12}$/, 75],
  ['zto', /^74\d{12}$|^79[01]\d{11}$/, 70],
  ['zto', /^7[79]\d{12}$/, 42],
  ['zto', /^\d{14}$/, 15],
  ['best-express', /^(?:5[01]|60|7[0-2])\d{12}$/, 50],
  ['jtexpress', /^(?:5[01]|60|7[0-2])\d{12}$/, 34],
  ['best-express', /^[567]\d{13}$/, 20],
  ['sto', /^(?:77|43)\d{12}$/, 40],

  // 15 digits: STO's and Yunda's
  ['sto', /^77\d{13}$/, 80],
  ['sto', /^88\d{13}$/, 45],
  ['sto', /^(?:77|43)\d{13,15}$/, 35],
  ['yunda', /^(?:31|46)\d{13}$/, 72],
  // STO had 43 as well.
  ['yunda', /^43\d{13}$/, 68],
  ['yunda', /^[34]\d{14}$/, 66],
  ['cainiao', /^62[156]\d{12}$/, 65],
  // Cainiao's domestic parcels, as others name them.
  ['danniao', /^62[156]\d{12}$/, 50],
  ['best-express', /^55\d{13}$/, 36],
  ['jtexpress', /^55\d{13}$/, 30],
  ['yunda', /^\d{15}$/, 9],
  ['sto', /^\d{15}$/, 8],
  ['jtexpress', /^\d{15}$/, 7],

  // Longer
  ['yto', /^(?:80|99|8[5-8]|6\d|70|78|79)\d{16}$/, 45],
  ['yto', /^\d{18}$/, 9],
  ['cainiao', /^(?:128|132)\d{23}$/, 60],

  // Across the border
  ['cainiao', /^LP\d{14}$/, 88],
  ['cainiao', /^CNG\d{11,14}$/, 70],
  ['cainiao', /^CN[A-Z]{2}UP\d{8,13}$/, 60],
  ['yunexpress', /^YT\d{16}$/, 92],
  ['yunexpress', /^CAYT\d{16}$/, 85],
  // An S10 item of a country that does not exist, check digit included.
  ['yanwen', /^U[A-Z](\d{9})YP$/, 92, s10, TYPO],
  ['yanwen', /^[A-TV-Z][A-Z](\d{9})YP$/, 80, s10, TYPO],
  ['yanwen', /^6A\d{11}$/, 58],
  ['yanwen', /^BYS\d{9}$/, 75],
  ['yanwen', /^S\d{10}$/, 20],
  ['4px', /^4PX\d{13}CN$/, 95],
  ['4px', /^4PX[A-Z0-9]{8,20}$/, 82],
  ['4px', /^S000\d{8,12}$/, 75],
  ['4px', /^S000\d{7}$/, 60],
  ['4px', /^P000000\d{6}$/, 75],
  ['4px', /^H(?![A-Z]{14,17}$)[A-Z0-9]{14,17}$/, 15],
  ['cnexps', /^3A5V\d{9}$/, 90],
  ['cnexps', /^3A[A-Z0-9]{2}\d{9}$/, 75],
  ['sunyou', /^SY[A-Z]{2}\d{9}$/, 90],
  ['sfc', /^SFC\d{9}$/, 85],
  ['wanb', /^WNB[A-Z]{2}\d{10}YQ$/, 95],
  ['jnet', /^JNT[A-Z]{2}\d{10}YQ$/, 92],
  ['winit', /^ID\d{12,16}CN$/, 90],
  ['winit', /^ID\d{12,18}$/, 60],
  ['winit', /^WO\d{10,18}$/, 72],
  ['jcex', /^JCE[A-Z]{2}\d{10}YQ$/, 92],
];
