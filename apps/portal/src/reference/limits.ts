import type { Language } from '../site/language.ts';

type Unit = 'characters' | 'entries';

const en = {
  oneOf: (values: readonly string[]) => `one of ${values.join(', ')}`,
  always: (value: string) => `always ${value}`,
  format: (name: string) => `format ${name}`,
  pattern: (pattern: string) => `pattern ${pattern}`,
  freeText: 'no control characters',
  default: (value: string) => `default ${value}`,
  each: (limit: string) => `each: ${limit}`,
  between: (least: number, most: number) => `${least} to ${most}`,
  exactly: (count: number) => `${count}`,
  atMost: (most: number) => `at most ${most}`,
  atLeast: (least: number) => `at least ${least}`,
  units: { characters: ' characters', entries: ' entries' } as Record<Unit, string>,
};
const zh: typeof en = {
  oneOf: (values) => `取值：${values.join('、')}`,
  always: (value) => `始终为 ${value}`,
  format: (name) => `格式 ${name}`,
  pattern: (pattern) => `须匹配 ${pattern}`,
  freeText: '不含控制字符',
  default: (value) => `默认 ${value}`,
  each: (limit) => `每项：${limit}`,
  between: (least, most) => `${least} 到 ${most}`,
  exactly: (count) => `${count}`,
  atMost: (most) => `最多 ${most}`,
  atLeast: (least) => `至少 ${least}`,
  units: { characters: ' 个字符', entries: ' 项' },
};

/** How the reference says what a value may be. */
export const LIMITS: Readonly<Record<Language, typeof en>> = { en, zh };

/** A range of numbers or, with a unit, of a length; null for none. */
export function rangeOf(
  least: number | undefined,
  most: number | undefined,
  unit: Unit | null,
  language: Language,
): string | null {
  const say = LIMITS[language];
  const end = unit === null ? '' : say.units[unit];
  if (least !== undefined && most !== undefined)
    return (least === most ? say.exactly(least) : say.between(least, most)) + end;
  if (most !== undefined) return say.atMost(most) + end;
  return least === undefined || (least === 0 && unit !== null) ? null : say.atLeast(least) + end;
}
