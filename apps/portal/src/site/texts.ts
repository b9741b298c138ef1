import type { Language } from './language.ts';

const en = {
  name: 'Parcel Tracking Service',
  portal: 'Developer portal',
  menu: 'Menu',
  close: 'Close the menu',
  skip: 'Skip to the text',
  pages: 'Pages',
  reference: 'Reference',
  contents: 'On this page',
  search: 'Search',
  searchHint: 'Search guides and reference',
  noResults: 'Nothing was found.',
  searchFailed: 'The search could not be loaded. Type on to try again.',
  theme: 'Light or dark',
  otherLanguage: '中文',
  console: 'Console',
  previous: 'Previous',
  next: 'Next',
  changed: 'Last changed',
  version: 'Version',
  asMarkdown: 'This page as Markdown',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Not copied: select it and copy it yourself',
};

const zh: typeof en = {
  name: '包裹跟踪服务',
  portal: '开发者门户',
  menu: '目录',
  close: '关闭目录',
  skip: '跳到正文',
  pages: '页面',
  reference: '接口文档',
  contents: '本页内容',
  search: '搜索',
  searchHint: '搜索指南和接口',
  noResults: '没有找到。',
  searchFailed: '搜索未能加载。继续输入即可重试。',
  theme: '浅色或深色',
  otherLanguage: 'English',
  console: '控制台',
  previous: '上一页',
  next: '下一页',
  changed: '最近更新',
  version: '版本',
  asMarkdown: '本页 Markdown',
  copy: '复制',
  copied: '已复制',
  notCopied: '未能复制：请手动选择并复制',
};

/** What the portal says around its pages. */
export const TEXTS: Readonly<Record<Language, typeof en>> = { en, zh };
export type Texts = typeof en;
