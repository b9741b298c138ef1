import { replaceAfter } from './after.ts';
import { MASK } from './mark.ts';

/** Names after words that announce one, in a language. */
type Labelled = {
  label: RegExp;
  /** What comes between such a word and a name. */
  gap: RegExp;
  name: RegExp;
  /** How anything but a name begins. */
  role: RegExp;
};

const COLON = /^\s?[:：]\s?/;
const NOBODY = /(?!)/;

const KOREAN_ROLE =
  /^[가-힣]{0,3}(?:고객|본인|가족|경비|관리|이웃|회사|문앞|무인|직접|연락|배송|배달|방문|수취|수령|위탁|동료|대리|기사|부재|주소|보관|회원|정보|확인|요청|거부)/u;

const CYRILLIC_LABEL =
  /(?<!\p{L})(?:получател[ья]|получил[аи]?|получено(?: от)?|принял[аи]?|вручено|выдано|подпис(?:ь|ал[аи]?|ано)|курьер(?:у|ом)?|водител[ья]|почтальон|сосед(?:у|ке)?|контактное лицо|одержувач|отримувач|отримав|отримала|підпис|кур['’ʼ]єр|водій|листоноша|куриер|шофьор)(?!\p{L})/giu;
const CYRILLIC_ROLE =
  /^(?:получател|адресат|сосед|лично(?!\p{L})|охран|консьерж|секретар|член|родствен|представител|сотрудник|оператор|курьер|отправител|почт|отделени|пункт|постамат|магазин|склад(?!\p{L})|сортировоч|офис|компани|служб|доставк|сдэк|яндекс|озон(?!\p{L})|нов(?:а|ая|ой) по[шч]т|укрпошт|отказ|довер|одержувач|отримувач|сусід|особист|відправник|відділен|поштомат|довірен|кур['’ʼ]єр)/iu;
const VIETNAMESE_LABEL =
  /(?<!\p{L})(?:người (?:ký )?nhận(?: hàng)?|ký nhận(?: bởi)?|nhận bởi|chữ ký|giao cho|phát cho|shipper|nhân viên(?: giao hàng| giao nhận| phát)?|bưu tá|tài xế)(?!\p{L})/giu;
const VIETNAMESE_ROLE =
  /^(?:người|bảo vệ|lễ tân|gia đình|hàng xóm|khách|bưu|nhân viên|chính chủ|đã|đang|không|chưa|sẽ|kho|trạm|trung tâm|chi nhánh|công ty|văn phòng|đơn vị|đối tác|giao|nhận|viettel|ninja|shopee|lazada|tiki|grab)(?!\p{L})/iu;
const THAI_ROLE =
  /^(?:ตัวเอง|ตนเอง|ด้วยตนเอง|ญาติ|ครอบครัว|รปภ|พนักงาน|เจ้าหน้าที่|เพื่อน|นิติบุคคล|ผู้|แม่บ้าน|ร้าน|คนในบ้าน|บุคคลอื่น|ลูกค้า|ไม่|ได้|กำลัง|สาขา|ศูนย์)/u;

const LABELLED: readonly Labelled[] = [
  {
    label: /배송기사|택배기사|배달기사|배달원|집배원|담당자|수령인|인수자|수취인|받는 ?분|받으신 ?분/gu,
    gap: /^[\s:：(（]{1,3}/,
    name: /^[가-힣]{2,4}(?![가-힣])/u,
    role: KOREAN_ROLE,
  },
  {
    label: /受取人|受領者|受領印|サイン|署名|配達員|ドライバー/gu,
    gap: COLON,
    name: /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]{1,8}/u,
    role: /^[\p{L}ー]{0,7}(?:本人|家族|宅配|管理|受付|会社|ボックス|営業|不在|代理)/u,
  },
  {
    label: /المستلم|اسم المستلم|وقّع|استلمها|استلمه|المندوب|السائق/gu,
    gap: COLON,
    name: /^\p{Script=Arabic}{2,15}(?: \p{Script=Arabic}{2,15}){0,2}/u,
    role: NOBODY,
  },
  {
    label: CYRILLIC_LABEL,
    gap: /^\s?[:：(–-]\s?/,
    name: /^(?=\p{Script=Cyrillic})\p{Lu}[\p{L}.-]{0,30}(?: \p{Lu}[\p{L}.-]{0,30}){0,3}/u,
    role: CYRILLIC_ROLE,
  },
  // Without a colon, a text in capitals throughout may go on with any word.
  {
    label: CYRILLIC_LABEL,
    gap: /^ /,
    name: /^(?=\p{Script=Cyrillic})(?:\p{Lu}\. ?){0,2}\p{Lu}\p{Ll}{1,30}(?:[ -]\p{Lu}(?:\p{Ll}{1,30}|\.(?: ?\p{Lu}\.)?)){0,3}(?!\p{L})/u,
    role: CYRILLIC_ROLE,
  },
  {
    label: VIETNAMESE_LABEL,
    gap: /^\s?[:：(–-]\s?(?:(?:anh|chị|ông|bà) )?/i,
    name: /^\p{Lu}[\p{L}\p{M}]{0,12}(?: \p{Lu}[\p{L}\p{M}]{0,12}){0,4}/u,
    role: VIETNAMESE_ROLE,
  },
  {
    label: VIETNAMESE_LABEL,
    gap: /^ (?:(?:anh|chị|ông|bà) )?/,
    name: /^\p{Lu}[\p{Ll}\p{M}]{1,12}(?: \p{Lu}[\p{Ll}\p{M}]{0,12}){0,4}(?!\p{L})/u,
    role: VIETNAMESE_ROLE,
  },
  {
    label:
      /ผู้รับ(?:สินค้า|พัสดุ)?|ผู้เซ็นรับ|เซ็นรับ|รับ(?=โดย)|ลงนาม|ลงชื่อ|พนักงาน(?:จัดส่ง|นำจ่าย|ขนส่ง)?|คนขับ|ไรเดอร์|บุรุษไปรษณีย์|ผู้นำจ่าย/gu,
    gap: /^(?:โดย\s?|\s?[:：(-]\s?|\s?(?=คุณ|นาย|นาง|น\.ส\.))/u,
    name: /^(?:น\.ส\. ?)?\p{Script=Thai}{2,25}(?: (?!โทร|เบอร์)\p{Script=Thai}{2,25})?/u,
    role: THAI_ROLE,
  },
];

/** A text in another script, or in Vietnamese, without the names of people. */
export function maskOtherNames(text: string): string {
  return LABELLED.reduce(
    (masked, { label, ...rules }) => replaceAfter(masked, label, (rest) => labelled(rest, rules), MASK),
    text,
  )
    .replace(/[가-힣]{2,4}(?=님(?:께서|께|이|의|은|을|에게)?(?![가-힣]))/gu, (name) =>
      KOREAN_ROLE.test(name) ? name : MASK,
    )
    .replace(/\p{Script=Han}{1,4}(?=様)/gu, (name) => (/[客人先者主皆模同多仕異]$/u.test(name) ? name : MASK));
}

function labelled(rest: string, { gap, name, role }: Omit<Labelled, 'label'>) {
  const before = gap.exec(rest)?.[0];
  if (before === undefined) return null;
  const following = rest.slice(before.length);
  const found = name.exec(following)?.[0];
  return found === undefined || role.test(following) ? null : { at: before.length, length: found.length };
}
