import type { Tag } from '@pts/contract/operation';
import { errorPages, errorTable } from '../errors/error-pages.ts';
import { operationPage } from '../reference/operation-page.ts';
import { groups } from '../reference/operations.ts';
import { withExamples } from '../text/blocks.ts';
import { GUIDES, type Guide } from './guides.ts';
import type { Language } from './language.ts';
import type { Page, Section } from './page.ts';

/** Reads a file of the repository; null if there is none. */
export type Read = (path: string) => string | null;

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
};

/** Every page of the portal, in the order of its navigation: the guides, then the reference, then the errors. */
export function readSections(read: Read): Section[] {
  return [
    ...GUIDES.map(({ title, guides }) => ({ title, pages: guides.map((guide) => guidePage(guide, read)) })),
    ...groups().map(({ tag, operations }) => ({
      title: { en: tag, zh: TAGS_ZH[tag] },
      folded: true as const,
      pages: operations.map(operationPage),
    })),
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
