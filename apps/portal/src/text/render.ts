import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { escapeHtml } from '../site/html.ts';
import { createAnchors } from './anchors.ts';
import { markEnglish, withoutMarks } from './english.ts';
import { highlight } from './highlight.ts';
import { groupTabs, tabOf } from './tabs.ts';

/** How a page refers to others. */
export type Links = {
  /** The address that a link of the text leads to; null if it is not part of the portal. */
  follow(href: string): string | null;
  /** The address of the operation that a piece of code names: `POST /trackings/create`. */
  operation(code: string): string | null;
};

export type Heading = { level: number; anchor: string; text: string };
/** A part of a page, from a heading to the next one, as the search finds it. */
export type Part = Heading & { body: string };
export type Rendered = { html: string; parts: Part[] };

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
  const address = openLinks.length > 0 ? null : links.operation(code);
  return address === null ? html : `<a href="${escapeHtml(address)}">${html}</a>`;
};

/** What `render` gives to the rules. */
function environmentOf(env: Env | undefined): Environment {
  return env as unknown as Environment;
}

function anchorOf(meta: unknown): string {
  return (meta as Heading).anchor;
}

/** A page as HTML, and its parts for the search. */
export function render(text: string, links: Links): Rendered {
  const env: Environment = { links, openLinks: [] };
  const tokens = markdown.parse(text, env as unknown as Env);
  const parts = partsOf(tokens);
  return {
    html: markEnglish(
      groupTabs(tokens, (some) => markdown.renderer.render(some, markdown.options, env as unknown as Env)),
    ),
    parts,
  };
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

/** What a token says, without its markup. */
function plain(token: Token | undefined): string {
  const text = (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
  return withoutMarks(text);
}
