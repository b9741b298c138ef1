import { templateOf } from '@pts/contract/operation';
import { ERROR_GUIDE } from '../errors/error-pages.ts';
import { escapeHtml, type Language, type Page, ROOT } from '../site/page.ts';
import { english, englishBlock } from '../text/render.ts';
import { type Field, fieldsOf, limitsOf, typeOf } from './fields.ts';
import { type Described, type ErrorExample, type Parameter, type Reference, referenceOf } from './reference.ts';
import { exampleRequest, type Sample, samplesOf } from './samples.ts';

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
    // The page is no place for the key of all accounts.
    after: (language) => (operation.scope === 'operator' ? '' : tryItForm(operation, reference, language)),
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

/** Fields of the envelope that every answer has around its data. */
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

/** The text of a cell about a field or a parameter. */
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

const en = {
  parameters: 'Parameters',
  body: 'Body',
  samples: 'Samples',
  answer: 'Answer',
  fields: 'Fields',
  errors: 'Errors',
  columns: { name: 'Name', place: 'In', type: 'Type', meaning: 'Meaning', code: 'Code', cause: 'Cause', fix: 'Fix' },
  places: { path: 'path', query: 'query', header: 'header' },
  required: 'required',
  samplesText: 'Replace the key with yours. The sample in C# is made like the others, but our tests do not run it.',
  answerText: 'Every answer has the same envelope; `data` is what you asked for.',
};

const zh: typeof en = {
  parameters: '参数',
  body: '请求体',
  samples: '示例代码',
  answer: '响应',
  fields: '字段',
  errors: '错误',
  columns: {
    name: '名称',
    place: '位置',
    type: '类型',
    meaning: '说明',
    code: '错误码',
    cause: '原因',
    fix: '解决办法',
  },
  places: { path: '路径', query: '查询', header: '请求头' },
  required: '必填',
  samplesText: '请把密钥换成您自己的。C# 示例的生成方式与其他语言相同，但我们的测试不运行它。',
  answerText: '所有响应的外层结构相同，`data` 是请求的内容。',
};

/** Names that the pages of operations give to their parts. */
const LABELS: Readonly<Record<Language, typeof en>> = { en, zh };

const formEn = {
  title: 'Try it',
  key: 'API key',
  keyHint: 'Kept in this tab until you close it. Requests are real: they count, and they change your account.',
  mediaType: 'Content type',
  body: 'Body',
  send: 'Send',
  stop: 'Stop',
  stopped: 'stopped',
  request: 'Request',
  answer: 'Answer',
  failed: 'The request could not be sent: ',
};
const formZh: typeof formEn = {
  title: '在线试用',
  key: 'API 密钥',
  keyHint: '只保存在当前标签页，关闭即清除。请求是真实的：会计数，也会改变账户中的数据。',
  mediaType: '内容类型',
  body: '请求体',
  send: '发送',
  stop: '停止',
  stopped: '已停止',
  request: '请求',
  answer: '响应',
  failed: '无法发送请求：',
};
const FORM_TEXTS = { en: formEn, zh: formZh };

/** The form that sends a request from the page. It is hidden until the script takes it over. */
function tryItForm(
  { method, path }: Described,
  { parameters = [], requestBody }: Reference,
  language: Language,
): string {
  const texts = FORM_TEXTS[language];
  const media = Object.entries(requestBody?.content ?? {}).filter(([, { schema }]) => schema?.format !== 'binary');
  const [[, { example = '' } = {}] = []] = media;
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  const types = media.map(([type]) => `<option>${escapeHtml(type)}</option>`).join('');
  const body =
    media.length === 0
      ? ''
      : `<label>${texts.mediaType}<select name="type">${types}</select></label>
<label>${texts.body}<textarea name="body" rows="8" spellcheck="false">${escapeHtml(text)}</textarea></label>`;
  return `<section class="try" hidden><h2 id="try-it">${texts.title}</h2>
<form data-method="${method.toUpperCase()}" data-path="${templateOf(path)}" data-failed="${texts.failed}" data-stopped="${texts.stopped}">
<label>${texts.key}<input type="password" name="key" autocomplete="off" spellcheck="false" placeholder="tk_…"></label>
<p class="hint">${texts.keyHint}</p>
${parameters.map(input).join('\n')}
${body}
<p class="actions"><button type="submit">${texts.send}</button><button type="button" data-stop hidden>${texts.stop}</button></p>
</form>
<div data-result hidden><h3>${texts.request}</h3><pre tabindex="0"><code data-request></code></pre>
<h3>${texts.answer} <span data-status role="status"></span></h3><pre tabindex="0"><code data-answer></code></pre></div></section>`;
}

function input({ name, in: place, required, example }: Parameter): string {
  const shown = example === undefined || !required ? '' : ` value="${escapeHtml(String(example))}"`;
  const hint = example === undefined ? '' : ` placeholder="${escapeHtml(String(example))}"`;
  return `<label><code>${name}</code><input name="${place}:${name}" autocomplete="off" spellcheck="false"${required ? ' required' : ''}${shown}${hint}></label>`;
}
