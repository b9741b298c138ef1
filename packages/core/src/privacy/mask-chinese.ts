import { replaceAfter } from './after.ts';
import { isChineseName, isChineseRole, isFamilyName } from './chinese-names.ts';
import { MASK } from './mark.ts';

/** Words before the name of a courier, a signer or a customer. */
const LABEL =
  /快[递遞]小哥|(?:[快速][递遞]|派件|派送|配送|[业業][务務]|投[递遞]|[揽攬]投|[揽攬]收|[揽攬]件|收件|取件|收派)[员員]|小哥|[骑騎]手|司[机機]|(?:收件|收[货貨]|寄件|[联聯][系絡繫]|[签簽]收|派件|派送|[揽攬]收|代收)人|客[户戶]|用[户戶]/gu;
/** What comes between such a word and a name. */
const GAP = /^[\s:：是为為，,【[（(“"「]{0,4}/u;
/** What follows a name. */
const NEXT =
  /^(?:正在|已|[为為][您你]|[将將]|派|[揽攬]|送|取|[电電][话話]|手[机機]|本人|代?[签簽]收|完成|完[毕畢]|的|[来來]|[师師]傅|先生|女士|小姐|[-，,。；;、】」\]）)”"\s•]|$)/u;

/** A Chinese text without the names of people. Phone numbers are masked before. */
export function maskChineseNames(text: string): string {
  if (!/\p{Script=Han}/u.test(text)) return text;
  const withoutOwners = text.replace(/(\p{Script=Han}{2,12})([，,、:：\s（(【/-]{0,3})•••/gu, besidePhone);
  return replaceAfter(withoutOwners, LABEL, nameAfter, MASK)
    .replace(
      /[小老阿](\p{Script=Han})(?=正在|已|派|完|[为為][您你]|[将將]|[师師]傅|[-】」，,。\s]|$)/gu,
      (match, family: string) => (isFamilyName(family) ? MASK : match),
    )
    .replace(/(\p{Script=Han})(?=[师師]傅|先生|女士|小姐|老[师師]|阿姨)/gu, (family: string) =>
      isFamilyName(family) ? MASK : family,
    )
    .replace(/(?<=由[【“「]?)(\p{Script=Han}{2,4}?)(?=[】”」]?(?:代?[签簽]收|代收|[领領]取|取走))/gu, (name: string) =>
      isChineseName(name) ? MASK : name,
    )
    .replace(/(?<=-)\p{Script=Han}{2,3}(?=-(?:已|正))/gu, (name) => (isChineseName(name) ? MASK : name));
}

/** After a colon or in brackets, whatever is short and no role; otherwise only what looks like a name and ends like one. */
function nameAfter(rest: string): { at: number; length: number } | null {
  const gap = GAP.exec(rest)?.[0] ?? '';
  const following = rest.slice(gap.length);
  const run = /^[\p{Script=Han}·]{1,12}/u.exec(following)?.[0] ?? '';
  if (run === '') return null;
  if (/[:：是为為【[（(“"「]/u.test(gap)) {
    const statement = /^[^，,。；;\s】」\]）)”"•]{1,40}/u.exec(following)?.[0] ?? run;
    if (isChineseRole(statement)) return null;
    return { at: gap.length, length: run.length <= 4 ? run.length : lengthOfName(following, run) };
  }
  const length = lengthOfName(following, run);
  return length === 0 ? null : { at: gap.length, length };
}

function lengthOfName(following: string, run: string): number {
  const fits = (length: number) => isChineseName(run.slice(0, length)) && NEXT.test(following.slice(length));
  return [4, 3, 2].find((length) => run.length >= length && fits(length)) ?? 0;
}

/** The name before a phone number: the end of what stands there, or all of it if that is short. */
function besidePhone(match: string, run: string, gap: string): string {
  const length = [4, 3, 2].find((each) => run.length >= each && isChineseName(run.slice(-each)));
  if (length !== undefined) return `${run.slice(0, -length)}${MASK}${gap}${MASK}`;
  return run.length > 4 || isChineseRole(run) || /[员員人是为為询詢]$|[请請可]/u.test(run)
    ? match
    : `${MASK}${gap}${MASK}`;
}
