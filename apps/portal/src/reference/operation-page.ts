import { errorsOf } from '@pts/contract/openapi/errors';
import { templateOf } from '@pts/contract/operation';
import { ERRORS, type ErrorName } from '@pts/core/errors';
import { ERROR_GUIDE } from '../errors/error-pages.ts';
import { escapeHtml, type Language, type Page, ROOT, textsIn } from '../site/page.ts';
import {
  answersOf,
  type Described,
  type Field,
  fieldsOf,
  limitsOf,
  OPERATIONS,
  type Parameter,
  PUSHES,
  type Reference,
  referenceOf,
  typeOf,
} from './reference.ts';
import { exampleRequest, samplesOf } from './samples.ts';

/** The page of an operation. */
export function operationPage(operation: Described): Page {
  const { id, method, path, doc } = operation;
  const samples = samplesOf(exampleRequest(operation, referenceOf(operation, 'en')))
    .map(({ name, code, text }) => fence(`${code} tab=${name} beside=request`, text))
    .join('\n\n');
  const text = (language: Language) => {
    const reference = referenceOf(operation, language);
    return [
      `# ${language === 'en' ? doc.summary : doc.summaryZh}`,
      `\`${method.toUpperCase()} /api/v1${templateOf(path)}\``,
      reference.description,
      samples,
      ...responseSample(reference),
      ...parametersPart(reference, language, 'path', 'query'),
      ...bodyPart(reference, language),
      ...parametersPart(reference, language, 'header'),
      ...responsePart(reference, language),
      ...errorsPart(operation, language),
    ].join('\n\n');
  };
  return {
    path: `reference/${id}`,
    label: method.toUpperCase(),
    title: { en: doc.summary, zh: doc.summaryZh },
    text: { en: text('en'), zh: text('zh') },
    madeOf: { en: operation.file, zh: operation.file },
    // The page is no place for the key of all accounts.
    ...(operation.scope !== 'operator' && { form: (language: Language) => tryItForm(operation, language) }),
  };
}

/** A page for each kind of push: `events/tracking_update`. */
export function eventPages(): Page[] {
  return PUSHES.map(([event, referenceIn]) => {
    const text = (language: Language) => {
      const reference = referenceIn(language);
      const { summary = '', description, parameters = [], requestBody } = reference;
      const [{ schema = {}, example } = {}] = Object.values(requestBody?.content ?? {});
      const headers = parameters.map(({ name, example: value }) => `${name}: ${value}`);
      const { body, response } = textsIn(LABELS, language);
      const fields = fieldsOf(schema, language);
      return [
        `# ${event}`,
        sentences([summary], language),
        description,
        fence('http beside=request', ['POST / HTTP/1.1', ...headers].join('\n')),
        fence('json beside=request', asText(example)),
        `## ${body}`,
        fieldList(
          fields.filter(({ name }) => name !== 'data'),
          language,
        ),
        '## `data`',
        fieldList(fields.find(({ name }) => name === 'data')?.fields ?? [], language),
        ...parametersPart(reference, language, 'header'),
        `## ${response}`,
        ...Object.entries(reference.responses).map(
          ([status, { description: meaning = '' }]) => `- \`${status}\` ${meaning}`,
        ),
      ].join('\n\n');
    };
    const file = 'packages/contract/src/pushes.ts';
    return {
      path: `events/${event}`,
      title: { en: event, zh: event },
      text: { en: text('en'), zh: text('zh') },
      madeOf: { en: file, zh: file },
    };
  });
}

function parametersPart({ parameters = [] }: Reference, language: Language, ...places: Parameter['in'][]): string[] {
  const { headers, parameters: others, query } = textsIn(LABELS, language);
  const fields = parameters
    .filter((parameter) => places.includes(parameter.in))
    .map(({ name, in: place, required, description = '', schema }) => ({
      ...{ name, required, description, limits: limitsOf(schema, language), fields: [] },
      type: typeOf(schema, language) + (place === 'query' ? ` · ${query}` : ''),
    }));
  return fields.length === 0 ? [] : [`## ${places.includes('header') ? headers : others}`, fieldList(fields, language)];
}

function bodyPart({ requestBody }: Reference, language: Language): string[] {
  if (!requestBody) return [];
  const [{ schema = {} } = {}] = Object.values(requestBody.content);
  const types = mediaTypes(Object.keys(requestBody.content));
  return [`## ${LABELS.body[language]}`, ...types, fieldList(fieldsOf(schema, language), language)];
}

function responseSample(reference: Reference): string[] {
  const [[type, { example }] = ['', { example: undefined }]] = answersOf(reference);
  if (example === undefined) return [];
  return [fence(`${type.includes('json') ? 'json' : 'text'} beside=response`, asText(example))];
}

function responsePart(reference: Reference, language: Language): string[] {
  const { response, envelope } = textsIn(LABELS, language);
  const answers = answersOf(reference);
  const [{ schema = {} } = {}] = answers.map(([, content]) => content);
  const data = schema.properties?.data;
  return [
    `## ${response}`,
    ...mediaTypes(answers.map(([name]) => name)),
    ...(data ? [envelope] : []),
    fieldList(fieldsOf(data ?? schema, language), language),
  ];
}

/** Fields as a list; those of an object are a list within it, which opens. */
function fieldList(fields: readonly Field[], language: Language): string {
  const labels = textsIn(LABELS, language);
  return fields
    .map(({ name, type, required, fields: inside, ...field }) => {
      const word = required ? ` **${labels.required}**` : '';
      const nested = inside.length === 0 ? [] : [counted(labels.nested, inside), fieldList(inside, language)];
      return item([`\`${name}\` *${type}*${word}`, meaningOf(field, language), ...nested]);
    })
    .join('\n\n');
}

/** The paragraphs of an item of a list. */
function item(paragraphs: readonly string[]): string {
  const text = paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
  return `- ${text.replace(/\n(?=[^\n])/g, '\n  ')}`;
}

/** Explains a field in one paragraph. */
function meaningOf({ description, limits }: Pick<Field, 'description' | 'limits'>, language: Language): string {
  return sentences([description.split(/\s{0,100}\n\s{0,100}/).join(' '), limitText(limits, language)], language);
}

const errors = (operation: Described) => errorsOf(operation).toSorted((a, b) => ERRORS[a].number - ERRORS[b].number);
const COMMON = errors(OPERATIONS[0] as Described).filter((name) =>
  OPERATIONS.every((operation) => errorsOf(operation).includes(name)),
);

/** The errors of an operation, each folded to its cause; those of every operation are one entry. */
function errorsPart(operation: Described, language: Language): string[] {
  const { errors: heading, common } = textsIn(LABELS, language);
  const list = (names: readonly ErrorName[]) =>
    names.map((name) => {
      const { cause, fix } = ERROR_GUIDE[language][name];
      const { number } = ERRORS[name];
      return item([`**${number}** ${cause}`, item([`${fix} [${name}](${ROOT}/errors/${number})`])]);
    });
  const own = errors(operation).filter((name) => !COMMON.includes(name));
  return [`## ${heading}`, ...list(own), item([counted(common, COMMON), ...list(COMMON)])];
}

const counted = (text: string, { length }: readonly unknown[]) => text.replace('#', String(length));
const mediaTypes = (types: readonly string[]) =>
  types.join() === 'application/json' ? [] : [types.map((type) => `\`${type}\``).join(' · ')];
const asText = (example: unknown) =>
  typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
const fence = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\``;

/** `At most 40 characters; default 20`. */
function limitText(limits: readonly string[], language: Language): string {
  const text = limits.join(language === 'en' ? '; ' : '；');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Texts one after another, each ended by a period. */
function sentences(texts: readonly string[], language: Language): string {
  const given = texts.filter((text) => text !== '');
  const [period, space] = language === 'en' ? ['.', ' '] : ['。', ''];
  return given.map((text) => (/[.。:：]\P{L}?$/u.test(text) ? text : `${text}${period}`)).join(space);
}

/** Names that the pages of the reference give to their parts. */
const LABELS = {
  parameters: { en: 'Parameters', zh: '参数' },
  headers: { en: 'Headers', zh: '请求头' },
  body: { en: 'Body', zh: '请求体' },
  response: { en: 'Response', zh: '响应' },
  errors: { en: 'Errors', zh: '错误' },
  query: { en: 'query', zh: '查询参数' },
  required: { en: 'required', zh: '必填' },
  nested: { en: 'Fields (#)', zh: '字段（#）' },
  envelope: { en: '`data` in the envelope that every response has:', zh: '所有响应的外层结构相同，其中 `data` 为：' },
  common: { en: 'Errors of every operation (#)', zh: '所有操作共有的错误（#）' },
} as const;

const FORM_TEXTS = {
  title: { en: 'Try it', zh: '在线试用' },
  key: { en: 'API key', zh: 'API 密钥' },
  keyHint: {
    en: 'The key stays in this tab until you close it. With a live key, requests are real and change your account.',
    zh: '密钥只保存在当前标签页，关闭即清除。使用正式密钥时，请求是真实的，会改变账户中的数据。',
  },
  testHint: {
    en: 'Your test key: parcels are simulated, and no quota is used.',
    zh: '您的测试密钥：包裹为模拟，不占用配额。',
  },
  mediaType: { en: 'Content type', zh: '内容类型' },
  body: { en: 'Body', zh: '请求体' },
  send: { en: 'Send', zh: '发送' },
  stop: { en: 'Stop', zh: '停止' },
  stopped: { en: 'stopped', zh: '已停止' },
  request: { en: 'Request', zh: '请求' },
  answer: { en: 'Response', zh: '响应' },
  failed: { en: 'The request could not be sent: ', zh: '无法发送请求：' },
} as const;

/** The form that sends a request from the page. It is hidden until the script takes it over. */
function tryItForm(operation: Described, language: Language): string {
  const { method, path } = operation;
  const { parameters = [], requestBody } = referenceOf(operation, language);
  const texts = textsIn(FORM_TEXTS, language);
  const media = Object.entries(requestBody?.content ?? {}).filter(([, { schema }]) => schema?.format !== 'binary');
  const [[, { example = '' } = {}] = []] = media;
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  const types = media.map(([type]) => `<option>${escapeHtml(type)}</option>`).join('');
  const body =
    media.length === 0
      ? ''
      : `<label>${texts.mediaType}<select name="type">${types}</select></label>
<label>${texts.body}<textarea name="body" rows="8" spellcheck="false">${escapeHtml(text)}</textarea></label>`;
  return `<details class="try" hidden><summary>${texts.title}</summary>
<form data-method="${method.toUpperCase()}" data-path="${templateOf(path)}" data-failed="${texts.failed}" data-stopped="${texts.stopped}">
<label>${texts.key}<input type="password" name="key" autocomplete="off" spellcheck="false" placeholder="tk_…"></label>
<p class="hint" data-test="${texts.testHint}">${texts.keyHint}</p>
${parameters.map(input).join('\n')}
${body}
<p class="actions"><button type="submit">${texts.send}</button><button type="button" data-stop hidden>${texts.stop}</button></p>
</form>
<div data-result hidden><p class="head">${texts.request}</p><pre tabindex="0"><code data-request></code></pre>
<p class="head">${texts.answer} <span data-status role="status"></span></p><pre tabindex="0"><code data-answer></code></pre></div></details>`;
}

function input({ name, in: place, required, example }: Parameter): string {
  const shown = example === undefined || !required ? '' : ` value="${escapeHtml(String(example))}"`;
  const hint = example === undefined ? '' : ` placeholder="${escapeHtml(String(example))}"`;
  return `<label><code>${name}</code><input name="${place}:${name}" autocomplete="off" spellcheck="false"${required ? ' required' : ''}${shown}${hint}></label>`;
}
