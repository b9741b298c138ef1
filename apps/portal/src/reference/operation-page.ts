import { templateOf } from '@pts/contract/openapi/operation';
import { ERROR_GUIDE } from '../errors/guide.ts';
import { ROOT } from '../site/address.ts';
import type { Language } from '../site/language.ts';
import type { Page } from '../site/page.ts';
import { type ErrorExample, type Reference, referenceOf } from './document.ts';
import { LABELS } from './labels.ts';
import type { Described } from './operations.ts';
import { exampleRequest } from './request.ts';
import { type Sample, samplesOf } from './samples.ts';
import { type Field, fieldsOf, limitsOf, typeOf } from './schema.ts';
import { SUMMARIES_ZH } from './summaries-zh.ts';
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
    title: { en: doc.summary, zh: SUMMARIES_ZH[id] },
    text: { en: text('en'), zh: text('zh') },
    after: (language) => tryItForm(operation, reference, language),
  };
}

function pageText(operation: Described, reference: Reference, samples: Sample[], language: Language): string {
  const labels = LABELS[language];
  const { description, parameters = [], requestBody, responses } = reference;
  const summary = language === 'en' ? operation.doc.summary : SUMMARIES_ZH[operation.id];
  const given = parameters.map(({ name, in: place, required, schema, description: meaning = '' }) => [
    `\`${name}\``,
    labels.places[place],
    cell(typeOf(schema)),
    cell(sentences([required ? `**${labels.required}**` : '', meaning, limitText(limitsOf(schema))])),
  ]);
  const { columns } = labels;
  const [bodySchema] = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
  const bodyFields = bodySchema ? fieldsOf(bodySchema) : [];
  const answers = Object.entries(responses['200']?.content ?? {});
  const [answer] = answers;
  const answerFields = (answer?.[1].schema ? fieldsOf(answer[1].schema) : []).filter(
    ({ name }) => !['code', 'meta', 'message', 'data'].includes(name),
  );
  return [
    `# ${summary}`,
    `\`${operation.method.toUpperCase()} /api/v1${templateOf(operation.path)}\``,
    description,
    ...(given.length > 0
      ? [`## ${labels.parameters}`, table([columns.name, columns.place, columns.type, columns.meaning], given)]
      : []),
    ...(requestBody ? [`## ${labels.body}`, mediaTypes(Object.keys(requestBody.content))] : []),
    ...(bodyFields.length > 0 ? [fieldTable(bodyFields, language)] : []),
    `## ${labels.samples}`,
    labels.samplesText,
    samples.map(({ name, code, text }) => fence(`${code} tab=${name}`, text)).join('\n\n'),
    `## ${labels.answer}`,
    mediaTypes(answers.map(([type]) => type)),
    ...(answer?.[0] === 'application/json' ? [labels.answerText] : []),
    ...(answer?.[1].example === undefined ? [] : [fence('json', asText(answer[1].example))]),
    ...(answerFields.length > 0 ? [`### ${labels.fields}`, fieldTable(answerFields, language)] : []),
    `## ${labels.errors}`,
    table([columns.code, columns.cause, columns.fix], errorRows(reference, language)),
  ].join('\n\n');
}

function fieldTable(fields: readonly Field[], language: Language): string {
  const { columns, required } = LABELS[language];
  const rows = fields.map(({ name, type, required: isRequired, limits, description }) => [
    `\`${name}\``,
    cell(type),
    cell(sentences([isRequired ? `**${required}**` : '', description, limitText(limits)])),
  ]);
  return table([columns.name, columns.type, columns.meaning], rows);
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
function limitText(limits: readonly string[]): string {
  const text = limits.join('; ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Texts one after another, each ended by a period. */
function sentences(texts: readonly string[]): string {
  const given = texts.filter((text) => text !== '');
  return given.map((text) => (/[.。:：]$/.test(text) ? text : `${text}.`)).join(' ');
}

function table(heads: readonly string[], rows: readonly string[][]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
