import { posix } from 'node:path';
import type { Tag } from '@pts/contract/operation';
import MiniSearch from 'minisearch';
import { errorPages, errorTable } from './errors/error-pages.ts';
import { eventPages, operationPage } from './reference/operation-page.ts';
import { groups, operationNamed, VERSION } from './reference/reference.ts';
import { type Entry, SEARCH_OPTIONS } from './search.ts';
import { type Assets, layout, TEXTS } from './site/layout.ts';
import {
  addressOf,
  LANGUAGES,
  type Language,
  type Localized,
  linkBetween,
  type Page,
  ROOT,
  type Section,
} from './site/page.ts';
import { type Links, outsideBlocks, type Rendered, render, withExamples, withoutMarks } from './text/render.ts';

type SiteFile = { path: string; text: string };

type SiteOptions = {
  read: Read;
  /** The day on which a file was last changed; null if that is not known. */
  changedOn(file: string): string | null;
  /** The names of the assets; that of the search index is made from its content. */
  assets: Omit<Assets, 'search'>;
  nameFor(index: string): string;
};

/** Every file of the portal except its scripts and styles, by its path below /: `docs/quickstart.html`. */
export function makeSite({ read, changedOn, assets, nameFor }: SiteOptions): SiteFile[] {
  const sections = readSections(read);
  const pages = sections.flatMap((section) => section.pages);
  const directory = createDirectory(pages);
  const rendered = LANGUAGES.flatMap((language) =>
    [...pages, MISSING_PAGE].map((page) => ({
      page,
      language,
      content: render(page.text[language], linksOf(page, language, directory), language),
    })),
  );
  const indexes = LANGUAGES.map((language) => {
    const text = searchIndex(rendered.filter((one) => one.language === language && one.page !== MISSING_PAGE));
    return { language, text, search: nameFor(text) };
  });
  return [
    ...indexes.map(({ search, text }) => ({ path: `${ROOT}/assets/${search}`, text })),
    ...rendered.flatMap(({ page, language, content }) => {
      const address = addressOf(page.path, language);
      const { search = '' } = indexes.find((index) => index.language === language) ?? {};
      const frame = { sections, assets: { ...assets, search }, version: VERSION, changedOn };
      const { follow } = linksOf(page, language, directory, '.md');
      return [
        { path: `${address}.html`, text: layout(page, language, content, frame) },
        { path: `${address}.md`, text: withLinks(withoutMarks(page.text[language]), follow) },
      ];
    }),
    { path: '/llms.txt', text: llmsText(sections) },
  ].map(({ path, text }) => ({ path: path.slice(1), text }));
}

/** The Markdown of a page, with links that lead on from its address. */
function withLinks(text: string, follow: (href: string) => string | null): string {
  return outsideBlocks(text, (prose) =>
    prose.replace(/\[([^[\]\n]{0,200})\]\(([^()\s]{1,200})\)/g, (_all, name: string, href: string) => {
      const address = follow(href);
      return address === null ? name : `[${name}](${address})`;
    }),
  );
}

/** The index of a language: a reader needs one, and a word finds no pages in another language. */
function searchIndex(rendered: readonly { page: Page; language: Language; content: Rendered }[]): string {
  const entries = rendered.flatMap(({ page, language, content }) =>
    content.parts.map(({ level, anchor, text, body }) => ({
      address: addressOf(page.path, language) + (level === 1 ? '' : `#${encodeURIComponent(anchor)}`),
      label: page.label ?? '',
      title: page.title[language],
      heading: level === 1 ? '' : text,
      body,
    })),
  );
  const search = new MiniSearch<Entry>(SEARCH_OPTIONS);
  search.addAll(entries.map((entry, id) => ({ id, ...entry })));
  return JSON.stringify(search);
}

/** Reads a file of the repository; null if there is none. */
type Read = (path: string) => string | null;

const TAGS_ZH: Readonly<Record<Tag, string>> = {
  Trackings: '包裹',
  Bulk: '批量',
  'Bulk actions': '批量操作',
  Imports: '导入',
  Shipments: '包裹列表',
  Events: '事件',
  Carriers: '承运商',
  Webhooks: 'Webhook',
  Pushes: '推送',
  Pages: '买家查询页',
  Account: '账户',
  Keys: '密钥',
  Platforms: '平台',
};

/** A guide: a Markdown file of the repository. Its translation is `docs/zh/<path>.md`. */
export type Guide = { path: string; file: string; title: Localized };

/** The guides of the portal, in the order of its navigation. The start page has no path. */
export const GUIDES: readonly { title: Localized; guides: readonly Guide[] }[] = [
  {
    title: { en: 'Start', zh: '开始' },
    guides: [
      guide('', 'docs/start.md', 'Overview', '概览'),
      guide('quickstart', 'docs/quickstart.md', 'Quickstart', '快速入门'),
      guide('first-push', 'docs/first-push.md', 'Five minutes to a push', '五分钟收到推送'),
      guide('authentication', 'docs/authentication.md', 'Authentication', '认证'),
      guide('statuses', 'docs/statuses.md', 'Statuses', '状态'),
      guide('events', 'docs/events.md', 'Events', '事件'),
      guide('sandbox', 'docs/sandbox.md', 'Sandbox and test numbers', '沙箱与测试单号'),
    ],
  },
  {
    title: { en: 'Guides', zh: '指南' },
    guides: [
      guide('receivers', 'docs/receivers.md', 'Webhooks', 'Webhook 推送'),
      guide('errors', 'docs/errors.md', 'Errors', '错误处理'),
      guide('pagination', 'docs/pagination.md', 'Pagination and limits', '分页与限制'),
      guide('imports', 'docs/imports.md', 'Imports', '文件导入'),
      guide('bulk-actions', 'docs/bulk-actions.md', 'Bulk actions', '批量操作'),
      guide('tracking-page', 'docs/tracking-page.md', 'Tracking pages', '买家查询页'),
      guide('platforms', 'docs/platforms.md', 'Platforms', '平台接入'),
      guide('migrating', 'docs/migrating.md', 'Migrating', '迁移'),
    ],
  },
  {
    title: { en: 'Libraries and tools', zh: '客户端库与工具' },
    guides: [
      guide('client', 'packages/client/README.md', 'TypeScript client', 'TypeScript 客户端'),
      guide('clients', 'docs/clients.md', 'Python, Go, PHP and Java', 'Python、Go、PHP 与 Java'),
      guide('verifier', 'packages/webhook-verifier/README.md', 'Webhook verifier', 'Webhook 验签库'),
      guide('cli', 'docs/cli.md', 'Command line (pts)', '命令行工具 pts'),
      guide('agents', 'docs/agents.md', 'Agents (MCP)', '智能体（MCP）'),
    ],
  },
  {
    title: { en: 'Policies', zh: '政策' },
    guides: [
      guide('versioning', 'docs/versioning.md', 'Versioning', '版本与弃用'),
      guide('changelog', 'CHANGELOG.md', 'Changelog', '更新日志'),
      guide('support', 'docs/support.md', 'Status and support', '状态与支持'),
    ],
  },
];

function guide(path: string, file: string, en: string, zh: string): Guide {
  return { path, file, title: { en, zh } };
}

/** Every page of the portal, in the order of its navigation: the guides, then the reference, then the errors. */
export function readSections(read: Read): Section[] {
  return [
    ...GUIDES.map(({ title, guides }) => ({ title, pages: guides.map((guide) => guidePage(guide, read)) })),
    ...groups().map(({ tag, operations }) => ({
      title: { en: tag, zh: TAGS_ZH[tag] },
      folded: true as const,
      pages: operations.map(operationPage),
    })),
    { title: { en: 'Event types', zh: '事件类型' }, folded: true, pages: eventPages() },
    { title: { en: 'Errors', zh: '错误码' }, folded: true, pages: errorPages() },
  ];
}

function guidePage({ path, file, title }: Guide, read: Read): Page {
  const translation = `docs/zh/${path || 'start'}.md`;
  const [en, zh] = [file, translation].map((name) => {
    const text = read(name);
    if (text === null) throw new Error(`The portal needs ${name}.`);
    return text;
  }) as [string, string];
  const withTable = (text: string, language: Language) =>
    path === 'errors' ? `${text}\n${errorTable(language)}\n` : text;
  return {
    path,
    title,
    text: { en: withTable(en, 'en'), zh: withTable(withExamples(zh, en, translation), 'zh') },
    source: { en: file, zh: translation },
  };
}

/** How the pages of the portal find each other. */
type Directory = {
  /** The page with a path, or with a source file. */
  find(path: string): Page | undefined;
};

export function createDirectory(pages: readonly Page[]): Directory {
  const known = new Map<string, Page>();
  for (const page of pages) {
    known.set(posix.join(ROOT, page.path), page);
    for (const file of Object.values(page.source ?? {})) known.set(file, page);
  }
  return { find: (path) => known.get(path) };
}

/** Files of the repository that the installation offers, by what their paths begin with. */
const OFFERED = {
  'docs/console.md': '/console',
  'examples/': '/downloads/pts-examples.tgz',
  'packages/webhook-verifier/vectors.json': '/downloads/vectors.json',
  'packages/webhook-verifier/examples/': '/downloads/pts-examples.tgz',
  'packages/webhook-verifier/sign.sh': '/downloads/pts-examples.tgz',
  'packages/webhook-verifier/src/verify.ts': '/downloads/pts-examples.tgz',
};

/** How the links of a page in a language are followed. `suffix` is `.md` in the Markdown of a page. */
export function linksOf(page: Page, language: Language, directory: Directory, suffix = ''): Links {
  const here = addressOf(page.path, language);
  const source = page.source?.[language];
  const to = (target: Page) => linkBetween(here, `${addressOf(target.path, language)}${suffix}`);
  return {
    follow(href) {
      if (/^(https?:|mailto:|#)/.test(href)) return href;
      const [file = '', anchor] = decodeURIComponent(href).split('#');
      const path = file.startsWith('/') ? file : posix.join(posix.dirname(source ?? ''), file);
      const [, offered] = Object.entries(OFFERED).find(([start]) => path.startsWith(start)) ?? [];
      if (offered) return linkBetween(here, offered);
      const target = directory.find(path);
      if (!target) return null;
      return anchor === undefined ? to(target) : `${to(target)}#${encodeURIComponent(anchor)}`;
    },
    named(code) {
      const operation = operationNamed(code);
      const target = directory.find(`${ROOT}/${operation ? `reference/${operation.id}` : `events/${code}`}`);
      return target && target !== page ? to(target) : null;
    },
  };
}

/** The pages as a list for language models (llmstxt.org), each as Markdown. */
function llmsText(sections: readonly Section[]): string {
  const parts = sections.map(({ title, pages }) =>
    [
      `## ${title.en}`,
      ...pages.map((page) => {
        const label = page.label ? `${page.label} ` : '';
        return `- [${label}${page.title.en}](${addressOf(page.path, 'en')}.md)`;
      }),
    ].join('\n'),
  );
  return [
    `# ${TEXTS.name.en}`,
    '> Register tracking numbers over REST; the service follows the parcels and sends every change to a webhook, signed.',
    'The OpenAPI document is at [/openapi.json](/openapi.json). Every page of the portal is Markdown at its address with `.md`.',
    ...parts,
  ].join('\n\n');
}

const missing = (title: string, text: string, names: readonly string[]) =>
  `# ${title}\n\n${text}\n\n${['', '/quickstart', '/receivers', '/errors'].map((path, n) => `- [${names[n]}](${ROOT}${path})`).join('\n')}\n`;

/**
 * The answer to a browser at an address without a page. It is in no list: neither in the navigation nor in the search.
 */
const MISSING_PAGE: Page = {
  path: '404',
  title: { en: 'Page not found', zh: '找不到页面' },
  text: {
    en: missing('Page not found', 'The portal has no page at this address. Search it, or go on with one of these:', [
      ...['Overview', 'Quickstart', 'Webhooks', 'Errors'],
    ]),
    zh: missing('找不到页面', '门户中没有这个地址的页面。请使用搜索，或从以下页面继续：', [
      ...['概览', '快速入门', 'Webhook 推送', '错误处理'],
    ]),
  },
};
