import { s10 } from './check-digits.ts';
import { type Format, TYPO } from './format.ts';

/**
 * Numbers of Chinese carriers. Almost none has a check digit: prefix and length are all there is. Legacy numbers of
 * bare digits come last for each carrier; they collide with half the world and are worth little.
 */
// biome-ignore format: one form per line reads as the table it is
export const CHINESE: readonly Format[] = [
  ['sf-express', /^SF\d{13}$/, 90],
  ['sf-express', /^SF[0-9A-Z]?\d{12}$/, 80],
  ['sf-express', /^SF\d{14}$/, 70],
  ['sf-express', /^\d{12}$/, 12],

  ['yto', /^YT\d{13}$/, 90],
  ['yto', /^(?:80|99|8[5-8]|6\d|70|78|79)\d{16}$/, 40],
  ['yto', /^(?:[A-Z]\d|\d[A-Z]|DD)\d{10}$/, 35],

  ['zto', /^7[3-68]\d{12}$/, 75],
  ['zto', /^79[01]\d{11}$/, 70],
  // The ranges that online shops accepted as ZTO's while its numbers had twelve digits.
  ['zto', /^(?:2008|2010|8050|7518)\d{8}$|^(?:3[67]|5[3-6]|6[346]|72)\d{10}$/, 16],
  ['zto', /^(?:[67]18|[67]28|6[18]8|[67]80|7[0156][17]|7[1-3]7|738|76[1-35]|779|828|852|88[0128]|988|571|751)\d{9}$/, 16],
  ['zto', /^\d{14}$/, 15],
  ['zto', /^[1-8]\d{11}$/, 10],

  ['sto', /^STO\d{10}$/, 85],
  ['sto', /^77\d{13}$/, 80],
  ['sto', /^(?:77|43)\d{12,15}$/, 35],
  ['sto', /^(?:[2-9]68|388|588|688|888|900)\d{9,10}$/, 25],
  ['sto', /^(?:33|55|66)\d{11}$/, 25],

  ['yunda', /^(?:31|43|46)\d{13}$/, 72],
  ['yunda', /^[34]\d{14}$/, 55],
  ['yunda', /^39\d{11}$/, 28],
  ['yunda', /^5\d{12}$/, 20],
  ['yunda', /^(?:1\d|31|55|58|66|77|80|88)\d{11}$/, 15],
  ['yunda', /^\d{13}$/, 10],

  ['jd', /^JD[A-Z]{1,2}\d{11,12}$/, 88],
  ['jd', /^JD[A-Z0-9]{2}\d{11}$/, 80],
  ['jd', /^JD\d{13}$/, 72],

  ['jtexpress', /^JT\d{13}$/, 90],
  ['jtexpress', /^JT\d{12}$/, 60],

  ['china-ems', /^1[0-3]\d{11}$/, 70],
  ['china-ems', /^(?:5[012]|95|9[789])\d{11}$/, 60],

  ['china-post', /^P[A-Z]\d{11}$/, 60],
  ['china-post', /^[89]\d{12}$/, 45],
  ['china-post', /^43\d{11}$/, 30],

  ['best-express', /^60\d{12}$/, 50],
  ['best-express', /^[ABDE]\d{12}$/, 50],
  // J&T took over Best's domestic parcels.
  ['best-express', /^JT\d{12,13}$/, 20],
  ['best-express', /^[567]\d{13}$/, 12],

  ['deppon', /^DPK\d{12}$/, 92],
  ['deppon', /^DP[A-Z]\d{12}$/, 80],
  ['deppon', /^\d{8,10}$/, 8],

  ['cainiao', /^LP\d{14}$/, 88],
  ['cainiao', /^62[156]\d{12}$/, 65],
  ['cainiao', /^(?:128|132)\d{23}$/, 60],

  ['yunexpress', /^YT\d{16}$/, 92],
  ['yunexpress', /^CAYT\d{16}$/, 85],

  // An S10 item of a country that does not exist, check digit included.
  ['yanwen', /^U[A-Z](\d{9})YP$/, 92, s10, TYPO],
  ['yanwen', /^6A\d{11}$/, 55],
  ['yanwen', /^S\d{10}$/, 20],

  ['4px', /^4PX\d{13}CN$/, 95],
  ['4px', /^(?:3023|3036|3042)\d{8}$/, 50],
  ['4px', /^H(?![A-Z]{14,17}$)[A-Z0-9]{14,17}$/, 15],

  ['cnexps', /^3A5V\d{9}$/, 90],
  ['cnexps', /^3A[A-Z0-9]{2}\d{9}$/, 75],
  ['sunyou', /^SY[A-Z]{2}\d{9}$/, 90],
  ['sfc', /^SFC\d{9}$/, 85],
  ['wanb', /^WNB[A-Z]{2}\d{10}YQ$/, 95],
  ['jcex', /^JCE[A-Z]{2}\d{10}YQ$/, 92],
  ['ane', /^300\d{9}$/, 25],
  ['zto-freight', /^202\d{9}$/, 25],
];
