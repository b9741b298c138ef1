import { courseOf } from '../tracking/derive.ts';
import type { Scan } from '../tracking/scan.ts';
import { EXCEPTION_FAMILY, type SubStatus } from '../tracking/status.ts';

/** Why a parcel does not reach its recipient, as far as that changes what the recipient can do. */
export type Trouble =
  | 'customs'
  | 'address'
  | 'missed'
  | 'refused'
  | 'problem'
  | 'undeliverable'
  | 'returning'
  | 'returned';

/** What carriers' texts call these troubles, in the languages that they write; the first rule that matches decides. */
const RULES: readonly (readonly [RegExp, Trouble])[] = [
  [
    /customs|\bduty\b|\bduties\b|import (?:tax|charge|fee)|海关|清关|关税|报关|通关|\bzoll|douan|aduan|alf[âa]ndega|dogan|税関|세관|통관|جمارك|جمرك/iu,
    'customs',
  ],
  [/address(?!ee)|地址|adress|anschrift|direcci[óo]n|endere[çc]o|indirizzo|住所|주소|عنوان/iu, 'address'],
  [
    /attempt|no(?:body| ?one)? (?:was |is )?(?:at )?home|not (?:at )?home|no (?:access|answer)|not available|unavailable|business closed|card left|联系不上|无法联系|无人|不在|再次派送|改日|派[件送](?:失败|不成功)|未妥投|nicht angetroffen|nicht möglich|benachrichtigung|absent|avis[ée]|ausente|assente|destinat[aá]rio ausente|不在|持ち戻り|부재|محاولة/iu,
    'missed',
  ],
];

/** The trouble of a parcel; null if it has none. */
export function troubleOf(subStatus: SubStatus, scans: readonly Scan[]): Trouble | null {
  if (subStatus === 'returned') return 'returned';
  if (!EXCEPTION_FAMILY.includes(subStatus)) return null;
  const course = courseOf(scans);
  if (course !== undefined) return course === 'going_back' ? 'returning' : 'refused';
  const text = scans.findLast(({ status }) => EXCEPTION_FAMILY.includes(status))?.description ?? '';
  const named = RULES.find(([pattern]) => pattern.test(text))?.[1];
  return named ?? (subStatus === 'undeliverable' ? 'undeliverable' : 'problem');
}
