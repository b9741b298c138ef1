import { templateOf } from '@pts/contract/operation';
import { escapeHtml } from '../site/html.ts';
import type { Language } from '../site/language.ts';
import type { Parameter, Reference } from './document.ts';
import type { Described } from './operations.ts';

const en = {
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
const zh: typeof en = {
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
const TEXTS = { en, zh };

/** The form that sends a request from the page. It is hidden until the script takes it over. */
export function tryItForm(
  { method, path }: Described,
  { parameters = [], requestBody }: Reference,
  language: Language,
): string {
  const texts = TEXTS[language];
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
${parameters.map(field).join('\n')}
${body}
<p class="actions"><button type="submit">${texts.send}</button><button type="button" data-stop hidden>${texts.stop}</button></p>
</form>
<div data-result hidden><h3>${texts.request}</h3><pre tabindex="0"><code data-request></code></pre>
<h3>${texts.answer} <span data-status role="status"></span></h3><pre tabindex="0"><code data-answer></code></pre></div></section>`;
}

function field({ name, in: place, required, example }: Parameter): string {
  const shown = example === undefined || !required ? '' : ` value="${escapeHtml(String(example))}"`;
  const hint = example === undefined ? '' : ` placeholder="${escapeHtml(String(example))}"`;
  return `<label><code>${name}</code><input name="${place}:${name}" autocomplete="off" spellcheck="false"${required ? ' required' : ''}${shown}${hint}></label>`;
}
