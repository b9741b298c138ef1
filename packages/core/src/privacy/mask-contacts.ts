import { MASK } from './mark.ts';

const EMAIL = /[\w.+-]{1,64}[@＠][\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g;

/** Forms of phone numbers; `isKept` decides about each match. The first form that fits counts. */
const PHONES: readonly RegExp[] = [
  // +49 170 1234567, 0049 170 1234567
  /(?<!\w)(?:\+ ?[1-9]|00[1-9](?=\d{0,2}[ .-]))\d{0,2}(?:[ .()/-]{0,2}\d){6,12}(?!\d)/g,
  // 138 1234 5678, 138****5678
  /(?<!\d)1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)/g,
  /(?<!\d)1[3-9]\d{0,2}[*＊×]{2,8}\d{0,4}(?!\d)/g,
  // 0571-88886666, 07700 900123, 06 12 34 56 78, 030/1234567, 090-1234-5678
  /(?<![\d./-])(?:\(0\d{1,4}\)|0\d{1,4})(?:[ ./-]{1,2}\d{2,8}){1,5}(?!\d)/g,
  // (555) 123-4567, 555.123.4567
  /(?<![\d-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-])/g,
  // (11) 91234-5678
  /\(\d{2}\) ?\d{4,5}-\d{4}(?!\d)/g,
  // 07700900123
  /(?<!\d)0[1-9]\d{8,9}(?!\d)/g,
];

/** Any digits after a word that announces a phone number. */
const ANNOUNCED =
  /(?<word>tel\.?|t[ée]l[ée]?phone|phone|call|mobile|mob\.|cell|whatsapp|telefono|tel[ée]fono|telefone|telefon|rufnummer|handy|电话|手机|致电|联系|拨打|電話|携帯|전화|연락처|هاتف|جوال|тел\.?|телефон[уа]?|sđt|điện thoại|โทร)(?<gap>[^\d•\n]{0,12})(?<digits>\d(?:[ ()./-]{0,2}\d){6,14})(?!\d)/giu;

/** Numbers of services that are free or cost the same everywhere: carriers' hotlines. */
const HOTLINE = /^(?:1?(?:800|888|877|866|855|844|833)\d{7}|400\d{7}|0?800\d{5,8}|0?(?:845|844|870|871|330|345)\d{7})$/;

/** A day in figures among the parts of a number: `04.03.2031`, `2031-03-04`. */
function hasDay(parts: readonly string[]): boolean {
  const isYear = (part = '') => /^(?:19|20)\d\d$/.test(part);
  const isShort = (part = '') => part.length <= 2 && part !== '';
  return parts.some(
    (part, n) =>
      isShort(parts[n + 1]) && ((isYear(part) && isShort(parts[n + 2])) || (isShort(part) && isYear(parts[n + 2]))),
  );
}

/** Without phone numbers and e-mail addresses; the parcel's own number, dates and hotlines stay. */
export function maskContacts(text: string, number: string): string {
  const replace = (match: string) => (isKept(match, number) ? match : MASK);
  const plain = PHONES.reduce((masked, phone) => masked.replace(phone, replace), text.replace(EMAIL, MASK));
  return plain.replace(ANNOUNCED, (match, word: string, gap: string, digits: string) =>
    isKept(digits, number) ? match : `${word}${gap}${MASK}`,
  );
}

const FEWEST_DIGITS = 9;

function isKept(match: string, number: string): boolean {
  const digits = match.replace(/\D/g, '');
  if (/[*＊×]/.test(match)) return false;
  const isShort = digits.length < FEWEST_DIGITS && match.startsWith('0');
  return isShort || digits === number || HOTLINE.test(digits) || hasDay(match.split(/\D{1,3}/));
}

/** Codes that open a locker, and what announces them. */
const CODES =
  /(?<word>取[件货貨][码碼]|提[货貨件][码碼]|[验驗][证證][码碼]|[开開][箱柜櫃锁鎖][码碼]|密[码碼]|(?:pick[ -]?up|collection|access|security|locker|door|unlock|opening|release|verification|one-time) (?:code|pin|password)|\bpin(?:[ -]?code)?\b|\botp\b|code de retrait|abhol-?code|öffnungscode|\bm?tan\b|c[óo]digo de (?:recogida|retirada|retiro)|codice di ritiro|kod odbioru|受取コード|暗証番号|인증번호|비밀번호|код (?:для )?(?:получения|выдачи|отримання|видачі)|пин-?код|пароль|mã (?:nhận hàng|mở tủ|otp|pin|xác nhận)|รหัส(?:รับพัสดุ|รับสินค้า|เปิดตู้|ผ่าน|otp| otp)?)(?<gap>[^\p{L}\p{N}]{0,4}(?:(?:is|ist|est|es|[是为為는은]|là|คือ)[^\p{L}\p{N}]{0,3})?)(?<code>\d{2,4}(?: \d{2,4}){1,3}(?![\d:./-])|[A-Z0-9][A-Z0-9-]{2,15})/giu;
const SHELF = /(?<word>[凭憑][“"【「 ]{0,2})(?<code>\d[\d-]{2,12})(?=[”"】」 ]{0,2}[码碼]?(?:取|[领領]|到|前往))/gu;

/** Without the codes with which anybody could pick up the parcel. */
export function maskCodes(text: string): string {
  return text
    .replace(CODES, (match, word: string, gap: string, code: string) =>
      /\d/.test(code) ? `${word}${gap}${MASK}` : match,
    )
    .replace(SHELF, (_match, word: string) => `${word}${MASK}`);
}
