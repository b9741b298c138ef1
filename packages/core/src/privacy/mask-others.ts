import { replaceAfter } from './after.ts';
import { MASK } from './mark.ts';

const KOREAN_LABEL = /배송기사|택배기사|배달기사|배달원|집배원|담당자|수령인|인수자|수취인|받는 ?분|받으신 ?분/gu;
const KOREAN_ROLE =
  /고객|본인|가족|경비|관리|이웃|회사|문앞|무인|직접|연락|배송|배달|방문|수취|수령|위탁|동료|대리|기사|부재|주소|보관|회원|정보|확인|요청|거부/u;
const JAPANESE_LABEL = /受取人|受領者|受領印|サイン|署名|配達員|ドライバー/gu;
const JAPANESE_ROLE = /本人|家族|宅配|管理|受付|会社|ボックス|営業|不在|代理/u;
const ARABIC_LABEL = /المستلم|اسم المستلم|وقّع|استلمها|استلمه|المندوب|السائق/gu;

/** A Korean, Japanese or Arabic text without the names of people. */
export function maskOtherNames(text: string): string {
  const korean = replaceAfter(
    text,
    KOREAN_LABEL,
    (rest) => labelled(rest, /^[\s:：(（]{1,3}/, /^[가-힣]{2,4}(?![가-힣])/u, KOREAN_ROLE),
    MASK,
  );
  const polite = korean
    .replace(/[가-힣]{2,4}(?=님(?:께서|께|이|의|은|을|에게)?(?![가-힣]))/gu, (name) =>
      KOREAN_ROLE.test(name) ? name : MASK,
    )
    .replace(/\p{Script=Han}{1,4}(?=様)/gu, (name) => (/[客人先者主皆模同多仕異]$/u.test(name) ? name : MASK));
  const japanese = replaceAfter(
    polite,
    JAPANESE_LABEL,
    (rest) =>
      labelled(rest, /^\s?[:：]\s?/, /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]{1,8}/u, JAPANESE_ROLE),
    MASK,
  );
  return replaceAfter(
    japanese,
    ARABIC_LABEL,
    (rest) => labelled(rest, /^\s?[:：]\s?/, /^\p{Script=Arabic}{2,15}(?: \p{Script=Arabic}{2,15}){0,2}/u, NOBODY),
    MASK,
  );
}

const NOBODY = /(?!)/;

function labelled(rest: string, gap: RegExp, name: RegExp, role: RegExp) {
  const before = gap.exec(rest)?.[0];
  if (before === undefined) return null;
  const found = name.exec(rest.slice(before.length))?.[0];
  return found === undefined || role.test(found) ? null : { at: before.length, length: found.length };
}
