import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { escapeHtml, type Language } from '../site/page.ts';

/** How a page refers to others. */
export type Links = {
  /** The address that a link of the text leads to; null if it is not part of the portal. */
  follow(href: string): string | null;
  /** The address of the operation or event that a piece of code names: `POST /trackings/create`, `tracking_update`. */
  named(code: string): string | null;
};

export type Heading = { level: number; anchor: string; text: string };
/** A part of a page, from a heading to the next one, as the search finds it. */
type Part = Heading & { body: string };
/** A page in the places of its layout: `request` and `response` stand beside the text, `intro` before its start. */
export type Rendered = { intro: string; html: string; request: string; response: string; parts: Part[] };

type Environment = { links: Links; openLinks: boolean[] };

const markdown = new MarkdownIt({ html: false, linkify: false });
const { rules } = markdown.renderer;

rules.fence = (tokens, index) => {
  const { info = '', content = '' } = tokens[index] ?? {};
  const language = info.split(' ')[0] ?? '';
  // Long lines are scrolled, also by keyboard.
  return `<div class="code"><pre tabindex="0"><code>${highlight(content, language)}</code></pre></div>\n`;
};
rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';
// Without the alignment of Markdown, which would be an inline style. An empty cell is no heading.
rules.td_open = () => '<td>';
rules.th_open = (tokens, index) => (tokens[index + 1]?.content === '' ? '<td>' : '<th scope="col">');
rules.th_close = (tokens, index) => (tokens[index - 1]?.content === '' ? '</td>' : '</th>');
rules.summary_open = () => '<details><summary>';
rules.summary_close = () => '</summary>';
rules.folded_list_close = () => '</ul></details>\n';
rules.heading_open = (tokens, index) => {
  const { tag = '', meta } = tokens[index] ?? {};
  return `<${tag} id="${escapeHtml(anchorOf(meta))}">`;
};
rules.heading_close = (tokens, index) => {
  const { tag = '', meta } = tokens[index] ?? {};
  const mark =
    tag === 'h1'
      ? ''
      : ` <a class="anchor" href="#${encodeURIComponent(anchorOf(meta))}" aria-hidden="true" tabindex="-1">#</a>`;
  return `${mark}</${tag}>\n`;
};
rules.link_open = (tokens, index, _options, env) => {
  const { links, openLinks } = environmentOf(env);
  const href = String(tokens[index]?.attrGet('href') ?? '');
  const address = links.follow(href);
  openLinks.push(address !== null);
  return address === null ? '' : `<a href="${escapeHtml(address)}">`;
};
rules.link_close = (_tokens, _index, _options, env) => (environmentOf(env).openLinks.pop() ? '</a>' : '');
rules.code_inline = (tokens, index, _options, env) => {
  const { links, openLinks } = environmentOf(env);
  const code = tokens[index]?.content ?? '';
  const html = `<code>${escapeHtml(code)}</code>`;
  const address = openLinks.length > 0 ? null : links.named(code);
  return address === null ? html : `<a href="${escapeHtml(address)}">${html}</a>`;
};

/** The environment that `render` gives to the rules. */
function environmentOf(env: Env | undefined): Environment {
  return env as unknown as Environment;
}

function anchorOf(meta: unknown): string {
  return (meta as Heading).anchor;
}

/** A page as HTML, and its parts for the search. */
export function render(text: string, links: Links, language: Language): Rendered {
  const env: Environment = { links, openLinks: [] };
  const tokens = markdown.parse(text, env as unknown as Env);
  const parts = partsOf(tokens);
  foldLists(tokens);
  const htmlOf = (some: Token[]) => markdown.renderer.render(some, markdown.options, env as unknown as Env);
  const blocks = blocksOf(tokens).map(({ place, hasTabs, tokens: some }, index) => ({
    place,
    html: withDates(markEnglish(hasTabs ? tabs(some, index, language, htmlOf) : htmlOf(some))),
  }));
  const at = (wanted: Place) =>
    blocks
      .filter(({ place }) => place === wanted)
      .map(({ html }) => html)
      .join('');
  return { intro: at('intro'), html: at('rest'), request: at('request'), response: at('response'), parts };
}

/** Code beside the text says which it is: "```sh beside=request"; the intro ends at the first part. */
type Place = 'intro' | 'rest' | 'request' | 'response';
type Block = { place: Place; hasTabs: boolean; tokens: Token[] };

/** Tokens by their place. Code blocks with tabs that follow each other are a group. */
function blocksOf(tokens: Token[]): Block[] {
  const blocks: Block[] = [];
  let inText: Place = 'intro';
  for (const token of tokens) {
    if (token.tag === 'h2') inText = 'rest';
    const beside = token.type === 'fence' && / beside=(request|response)/.exec(token.info)?.[1];
    const place = (beside || inText) as Place;
    const hasTabs = tabOf(token) !== null;
    const last = blocks.at(-1);
    if (last?.place === place && last.hasTabs === hasTabs) last.tokens.push(token);
    else blocks.push({ place, hasTabs, tokens: [token] });
  }
  return blocks;
}

/** A list within a list opens on demand: the paragraph in front of it becomes its summary. */
function foldLists(tokens: Token[]): void {
  const openings: (Token | null)[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'bullet_list_open') {
      const [open, , close] = token.level > 0 ? tokens.slice(index - 3, index) : [];
      const isSummary = open?.type === 'paragraph_open' && close?.type === 'paragraph_close';
      if (isSummary) [open.type, close.type] = ['summary_open', 'summary_close'];
      openings.push(isSummary ? open : null);
    }
    if (token.type === 'bullet_list_close' && openings.pop()) token.type = 'folded_list_close';
  }
}

/** Names each heading, and collects what follows it. */
function partsOf(tokens: Token[]): Part[] {
  const anchor = createAnchors();
  const parts: Part[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const text = plain(tokens[index + 1]);
      const heading = { level: Number(token.tag.slice(1)), anchor: anchor(text), text };
      const close = tokens.slice(index).find(({ type }) => type === 'heading_close');
      token.meta = heading;
      if (close) close.meta = heading;
      parts.push({ ...heading, body: '' });
    }
    const part = parts.at(-1);
    const isText = token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open';
    if (part && (isText || (token.type === 'fence' && tabOf(token) === null)))
      part.body += `${isText ? plain(token) : token.content}\n`;
  }
  return parts;
}

/** The text of a token, without its markup. */
function plain(token: Token | undefined): string {
  const text = (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
  return withoutMarks(text);
}

/** The name of a code block's tab: "```python tab=Python". */
function tabOf({ type, info }: Token): string | null {
  return type === 'fence' ? (/ tab=(\S+)/.exec(info)?.[1] ?? null) : null;
}

/** A group of tabs as radio buttons and panels: the style sheet shows the chosen one, without a script. */
function tabs(group: Token[], number: number, language: Language, render: (tokens: Token[]) => string): string {
  const choices = group.map((token, index) => {
    const name = escapeHtml(tabOf(token) ?? '');
    const checked = index === 0 ? ' checked' : '';
    return `<label><input type="radio" name="tabs-${number}" value="${name}"${checked}>${name}</label>`;
  });
  const panels = group.map((token) => `<div class="panel">${render([token])}</div>`);
  return `<div class="tabs"><div class="choices" role="radiogroup" aria-label="${TABS[language]}">${choices.join('')}</div>${panels.join('')}</div>\n`;
}

const TABS = { en: 'Programming language', zh: '编程语言' } as const;

/** `ts`, `sh` and the like are known as well: highlight.js has the aliases. */
const KNOWN = { bash, csharp, go, http, java, javascript, json, php, python, typescript, xml };
for (const [name, language] of Object.entries(KNOWN)) hljs.registerLanguage(name, language);

/** Code as HTML, coloured by classes: the content security policy forbids inline styles. */
function highlight(code: string, language: string): string {
  return hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escapeHtml(code);
}

/** Gives each heading of a page the anchor that GitHub gives it: links work in the repository and in the portal. */
function createAnchors(): (heading: string) => string {
  const taken = new Set<string>();
  return (heading) => {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let n = 1; taken.has(anchor); n++) anchor = `${name}-${n}`;
    taken.add(anchor);
    return anchor;
  };
}

/** Around English in a Chinese page. Private characters: no text has them. */
const [OPEN, CLOSE] = ['\uE000', '\uE001'];

/** Marks an English piece of a line in a page of another language. */
export function english(text: string): string {
  return `${OPEN}${text}${CLOSE}`;
}

/** Marks English in a way that readers' browsers and screen readers know. */
function markEnglish(html: string): string {
  return html.replaceAll(OPEN, '<span lang="en">').replaceAll(CLOSE, '</span>');
}

/** The date of a release, in the heading of its changes. */
function withDates(html: string): string {
  return html.replace(/(<h2[^>]{0,200}>[\d.]{1,40}) \((\d{4}-\d\d-\d\d)\)/g, '$1 <time datetime="$2">$2</time>');
}

/** The text as it is searched, and read as Markdown. */
export function withoutMarks(text: string): string {
  return text.replaceAll(OPEN, '').replaceAll(CLOSE, '');
}

const EXAMPLE = /^<!-- example (\d{1,3}) -->$/gm;

/** A page in pieces: its code blocks, with their fences, and what is around them. */
function pieces(text: string): { isCode: boolean; text: string }[] {
  const found: { isCode: boolean; lines: string[] }[] = [{ isCode: false, lines: [] }];
  for (const line of text.split('\n')) {
    const isFence = line.startsWith('```');
    const isInside = found.at(-1)?.isCode === true;
    if (isFence && !isInside) found.push({ isCode: true, lines: [] });
    found.at(-1)?.lines.push(line);
    if (isFence && isInside) found.push({ isCode: false, lines: [] });
  }
  return found.map(({ isCode, lines }) => ({ isCode, text: lines.join('\n') }));
}

/**
 * A translated page with the code blocks of its original: `<!-- example 2 -->` stands for the second one, so that code
 * is written, and tested, once.
 * @throws an Error unless the page has each block once, in order.
 */
export function withExamples(text: string, original: string, name: string): string {
  const blocks = pieces(original).filter(({ isCode }) => isCode);
  const named = Array.from(text.matchAll(EXAMPLE), ([, number]) => Number(number));
  if (named.length !== blocks.length || named.some((number, index) => number !== index + 1))
    throw new Error(
      `${name} must have the examples 1 to ${blocks.length} in order, as its original has; it has ${named}.`,
    );
  return text.replace(EXAMPLE, (_line, number: string) => blocks[Number(number) - 1]?.text ?? '');
}

/** Applies a change to the text of a page, but not to its code blocks. */
export function outsideBlocks(text: string, change: (prose: string) => string): string {
  return pieces(text)
    .map((piece) => (piece.isCode ? piece.text : change(piece.text)))
    .join('\n');
}
