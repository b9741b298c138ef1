import { replaceAfter } from './after.ts';
import { isChineseName, isChineseRole, isFamilyName } from './chinese-names.ts';
import { MASK } from './mark.ts';

/** Words before the name of a courier, a signer or a customer. */
const LABEL =
  /快递小哥|快递员|派件员|派送员|配送员|业务员|投递员|揽投员|揽收员|揽件员|收件员|取件员|收派员|小哥|骑手|司机|收件人|收货人|寄件人|联系人|签收人|派件人|派送人|揽收人|代收人|客户|用户/gu;
/** What comes between such a word and a name. */
const GAP = /^[\s:：是为，,【[（(“"]{0,4}/u;
/** What follows a name. */
const NEXT =
  /^(?:正在|已|为您|为你|将|派|揽|送|取|电话|手机|本人|代?签收|完成|完毕|的|来|师傅|先生|女士|小姐|[-，,。；;、】\]）)”"\s•]|$)/u;

/** A Chinese text without the names of people. Phone numbers are masked before. */
export function maskChineseNames(text: string): string {
  if (!/\p{Script=Han}/u.test(text)) return text;
  const withoutOwners = text.replace(/(\p{Script=Han}{2,12})([，,、:：\s（(【/-]{0,3})•••/gu, besidePhone);
  return replaceAfter(withoutOwners, LABEL, nameAfter, MASK)
    .replace(/[小老阿](\p{Script=Han})(?=正在|已|派|完|为您|为你|将|师傅|[-】，,。\s]|$)/gu, (match, family: string) =>
      isFamilyName(family) ? MASK : match,
    )
    .replace(/(\p{Script=Han})(?=师傅|先生|女士|小姐|老师|阿姨)/gu, (family: string) =>
      isFamilyName(family) ? MASK : family,
    )
    .replace(/(?<=由[【“]?)(\p{Script=Han}{2,4}?)(?=[】”]?(?:代?签收|代收|领取|取走))/gu, (name: string) =>
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
  if (/[:：是为【[（(“"]/u.test(gap)) {
    const statement = /^[^，,。；;\s】\]）)”"•]{1,40}/u.exec(following)?.[0] ?? run;
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
  return run.length > 4 || isChineseRole(run) || /[员人是为询]$|[请可]/u.test(run) ? match : `${MASK}${gap}${MASK}`;
}
