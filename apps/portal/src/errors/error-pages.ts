import { errorExample, errorsOf } from '@pts/contract/openapi/errors';
import { templateOf } from '@pts/contract/operation';
import { ERRORS, type ErrorName } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { OPERATIONS } from '../reference/reference.ts';
import { type Language, type Page, ROOT } from '../site/page.ts';
import { type ErrorGuide, en } from './en.ts';
import { zh } from './zh.ts';

const labelsEn = {
  all: 'All errors',
  code: 'Code',
  cause: 'Cause',
  fix: 'Fix',
  example: 'Example',
  where: 'Where it occurs',
  every: 'In every operation.',
  none: 'Outside of the operations of the reference.',
};
const labelsZh: typeof labelsEn = {
  all: '全部错误',
  code: '错误码',
  cause: '原因',
  fix: '解决办法',
  example: '示例',
  where: '出现位置',
  every: '所有操作。',
  none: '不属于任何单个操作。',
};
const LABELS = { en: labelsEn, zh: labelsZh };

/** A page for each error, at the address that its answers contain: `errors/4113`. */
export function errorPages(): Page[] {
  return (Object.keys(ERRORS) as ErrorName[]).map((name) => ({
    path: `errors/${ERRORS[name].number}`,
    label: String(ERRORS[name].number),
    title: { en: name, zh: name },
    text: { en: pageText(name, 'en'), zh: pageText(name, 'zh') },
    madeOf: { en: 'apps/portal/src/errors/en.ts', zh: 'apps/portal/src/errors/zh.ts' },
  }));
}

/** Every error in a table, for the guide. */
export function errorTable(language: Language): string {
  const { code, all, cause } = LABELS[language];
  const rows = (Object.keys(ERRORS) as ErrorName[]).map((name) => {
    const { number, http } = ERRORS[name];
    return `| [${number}](${ROOT}/errors/${number}) | ${http} | ${ERROR_GUIDE[language][name].cause} |`;
  });
  return [`## ${all}`, '', `| ${code} | HTTP | ${cause} |`, '|---|---|---|', ...rows].join('\n');
}

function pageText(name: ErrorName, language: Language): string {
  const labels = LABELS[language];
  const { number, http } = ERRORS[name];
  const { cause, fix } = ERROR_GUIDE[language][name];
  return [
    `# ${number} ${name}`,
    `HTTP ${http}`,
    `> ${message(`error.${name}`).in(language)}`,
    `## ${labels.cause}`,
    cause,
    `## ${labels.fix}`,
    fix,
    `## ${labels.example}`,
    `\`\`\`json\n${JSON.stringify(errorExample(name).value, null, 2)}\n\`\`\``,
    `## ${labels.where}`,
    where(name, language),
  ].join('\n\n');
}

function where(name: ErrorName, language: Language): string {
  const { every, none } = LABELS[language];
  const found = OPERATIONS.filter((operation) => errorsOf(operation).includes(name));
  if (found.length === OPERATIONS.length) return every;
  if (found.length === 0) return none;
  return found
    .map(
      ({ id, method, path, doc }) =>
        `- [${method.toUpperCase()} ${templateOf(path)}](${ROOT}/reference/${id}): ${language === 'en' ? doc.summary : doc.summaryZh}`,
    )
    .join('\n');
}

export const ERROR_GUIDE: Readonly<Record<Language, ErrorGuide>> = { en, zh };
