import { templateOf } from '@pts/contract/operation';
import { ERROR_GUIDE } from '../errors/guide.ts';
import { ROOT } from '../site/address.ts';
import type { Language } from '../site/language.ts';
import type { Page } from '../site/page.ts';
import { english, englishBlock } from '../text/english.ts';
import { type ErrorExample, type Reference, referenceOf } from './document.ts';
import { LABELS } from './labels.ts';
import type { Described } from './operations.ts';
import { exampleRequest } from './request.ts';
import { type Sample, samplesOf } from './samples.ts';
import { type Field, fieldsOf, limitsOf, typeOf } from './schema.ts';
import { tryItForm } from './try-it-form.ts';

/** The page of an operation. Descriptions are those of the OpenAPI document, which is English. */
export function operationPage(operation: Described): Page {
  const { id, method, doc } = operation;
  const reference = referenceOf(operation);
  const samples = samplesOf(exampleRequest(operation, reference));
  const text = (language: Language) => pageText(operation, reference, samples, language);
  return {
    path: `reference/${id}`,
    label: method.toUpperCase(),
    title: { en: doc.summary, zh: doc.summaryZh },
    text: { en: text('en'), zh: text('zh') },
    madeOf: { en: operation.file, zh: operation.file },
    after: (language) => tryItForm(operation, reference, language),
  };
}

function pageText(operation: Described, reference: Reference, samples: Sample[], language: Language): string {
  const labels = LABELS[language];
  const { columns } = labels;
  const { doc, method, path } = operation;
  return [
    `# ${language === 'en' ? doc.summary : doc.summaryZh}`,
    `\`${method.toUpperCase()} /api/v1${templateOf(path)}\``,
    language === 'en' ? reference.description : englishBlock(reference.description),
    ...parametersPart(reference, language),
    ...bodyPart(reference, language),
    `## ${labels.samples}`,
    labels.samplesText,
    samples.map(({ name, code, text }) => fence(`${code} tab=${name}`, text)).join('\n\n'),
    ...answerPart(reference, language),
    `## ${labels.errors}`,
    table([columns.code, columns.cause, columns.fix], errorRows(reference, language)),
  ].join('\n\n');
}

function parametersPart({ parameters = [] }: Reference, language: Language): string[] {
  if (parameters.length === 0) return [];
  const labels = LABELS[language];
  const { name, place, type, meaning } = labels.columns;
  const rows = parameters.map((parameter) => [
    `\`${parameter.name}\``,
    labels.places[parameter.in],
    cell(typeOf(parameter.schema)),
    meaningOf({ ...parameter, limits: limitsOf(parameter.schema, language) }, language),
  ]);
  return [`## ${labels.parameters}`, table([name, place, type, meaning], rows)];
}

function bodyPart({ requestBody }: Reference, language: Language): string[] {
  if (!requestBody) return [];
  const [{ schema = {} } = {}] = Object.values(requestBody.content);
  const types = mediaTypes(Object.keys(requestBody.content));
  return [`## ${LABELS[language].body}`, types, ...fieldTable(fieldsOf(schema, language), language)];
}

/** What every answer has around its data. */
const ENVELOPE = ['code', 'meta', 'message', 'data'];

function answerPart({ responses }: Reference, language: Language): string[] {
  const labels = LABELS[language];
  const answers = Object.entries(responses['200']?.content ?? {});
  const [[type, { schema = {}, example }] = ['', {}]] = answers;
  const fields = fieldsOf(schema, language).filter(({ name }) => !ENVELOPE.includes(name));
  return [
    `## ${labels.answer}`,
    mediaTypes(answers.map(([name]) => name)),
    ...(type === 'application/json' ? [labels.answerText] : []),
    ...(example === undefined ? [] : [fence('json', asText(example))]),
    ...(fields.length > 0 ? [`### ${labels.fields}`, ...fieldTable(fields, language)] : []),
  ];
}

function fieldTable(fields: readonly Field[], language: Language): string[] {
  if (fields.length === 0) return [];
  const { name, type, meaning } = LABELS[language].columns;
  const rows = fields.map((field) => [`\`${field.name}\``, cell(field.type), meaningOf(field, language)]);
  return [table([name, type, meaning], rows)];
}

type Meaning = { required: boolean; description?: string; limits: readonly string[] };

/** What a cell says about a field or a parameter. */
function meaningOf({ required, description = '', limits }: Meaning, language: Language): string {
  const own = language === 'en' ? description : english(sentences([description]));
  return cell(
    sentences([required ? `**${LABELS[language].required}**` : '', own, limitText(limits, language)], language),
  );
}

function errorRows({ responses }: Reference, language: Language): string[][] {
  const examples = Object.values(responses).flatMap(({ content }) =>
    Object.entries(content?.['application/json']?.examples ?? {}),
  ) as [keyof typeof ERROR_GUIDE.en, ErrorExample][];
  return examples
    .sort(([, a], [, b]) => a.value.code - b.value.code)
    .map(([name, { value }]) => {
      const { cause, fix } = ERROR_GUIDE[language][name];
      return [`[${value.code}](${ROOT}/errors/${value.code})`, cell(cause), cell(fix)];
    });
}

const mediaTypes = (types: readonly string[]) => types.map((type) => `\`${type}\``).join(' · ');
const asText = (example: unknown) =>
  typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
const fence = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\``;
/** A text in a cell of a table: one line, and a bar is no border. */
const cell = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .replaceAll('|', '\\|');

/** `At most 40 characters; default 20`. */
function limitText(limits: readonly string[], language: Language): string {
  const text = limits.join(language === 'en' ? '; ' : '；');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Texts one after another, each ended by a period. */
function sentences(texts: readonly string[], language: Language = 'en'): string {
  const given = texts.filter((text) => text !== '');
  const period = language === 'en' ? '.' : '。';
  return given.map((text) => (/[.。:：]\P{L}?$/u.test(text) ? text : `${text}${period}`)).join(' ');
}

function table(heads: readonly string[], rows: readonly string[][]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
