import { ROOT } from './address.ts';
import type { Page } from './page.ts';

const en = `# Page not found

The portal has no page at this address. Search it, or continue with one of these:

- [Overview](${ROOT})
- [Quickstart](${ROOT}/quickstart)
- [Webhooks](${ROOT}/receivers)
- [Errors](${ROOT}/errors)
`;
const zh = `# 找不到页面

门户中没有这个地址的页面。请使用搜索，或从以下页面继续：

- [概览](${ROOT})
- [快速入门](${ROOT}/quickstart)
- [Webhook 推送](${ROOT}/receivers)
- [错误处理](${ROOT}/errors)
`;

/** What a browser gets at an address without a page. It is in no list: neither in the navigation nor in the search. */
export const MISSING_PAGE: Page = {
  path: '404',
  title: { en: 'Page not found', zh: '找不到页面' },
  text: { en, zh },
};
