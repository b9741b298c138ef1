import { errorExample, errorsOf } from '@pts/contract/openapi/errors';
import { templateOf } from '@pts/contract/operation';
import { ERRORS, type ErrorName } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { OPERATIONS } from '../reference/reference.ts';
import { type Language, type Page, ROOT, textsIn } from '../site/page.ts';
import { type ErrorGuide, en } from './en.ts';
import { zh } from './zh.ts';

const LABELS = {
  all: { en: 'All errors', zh: '全部错误' },
  code: { en: 'Code', zh: '错误码' },
  cause: { en: 'Cause', zh: '原因' },
  fix: { en: 'Fix', zh: '解决办法' },
  where: { en: 'Where it occurs', zh: '出现位置' },
  every: { en: 'In every operation.', zh: '所有操作。' },
  none: { en: 'Outside of the operations of the reference.', zh: '不属于任何单个操作。' },
} as const;

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
  const { code, all, cause } = textsIn(LABELS, language);
  const rows = (Object.keys(ERRORS) as ErrorName[]).map((name) => {
    const { number, http } = ERRORS[name];
    return `| [${number}](${ROOT}/errors/${number}) | ${http} | ${ERROR_GUIDE[language][name].cause} |`;
  });
  return [`## ${all}`, '', `| ${code} | HTTP | ${cause} |`, '|---|---|---|', ...rows].join('\n');
}

function pageText(name: ErrorName, language: Language): string {
  const labels = textsIn(LABELS, language);
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
    `\`\`\`json beside=response\n${JSON.stringify(errorExample(name).value, null, 2)}\n\`\`\``,
    `## ${labels.where}`,
    where(name, language),
  ].join('\n\n');
}

function where(name: ErrorName, language: Language): string {
  const { every, none } = textsIn(LABELS, language);
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
