import type { Localized } from './page.ts';

/** A guide: a Markdown file of the repository. Its translation is `docs/zh/<path>.md`. */
export type Guide = { path: string; file: string; title: Localized };

/** The guides of the portal, in the order of its navigation. The start page has no path. */
export const GUIDES: readonly { title: Localized; guides: readonly Guide[] }[] = [
  {
    title: { en: 'Start', zh: '开始' },
    guides: [
      { path: '', file: 'docs/start.md', title: { en: 'Overview', zh: '概览' } },
      { path: 'quickstart', file: 'docs/quickstart.md', title: { en: 'Quickstart', zh: '快速入门' } },
      {
        path: 'first-push',
        file: 'docs/first-push.md',
        title: { en: 'Five minutes to a push', zh: '五分钟收到推送' },
      },
      { path: 'authentication', file: 'docs/authentication.md', title: { en: 'Authentication', zh: '认证' } },
      { path: 'statuses', file: 'docs/statuses.md', title: { en: 'Statuses and events', zh: '状态与事件' } },
      { path: 'sandbox', file: 'docs/sandbox.md', title: { en: 'Sandbox and test numbers', zh: '沙箱与测试单号' } },
    ],
  },
  {
    title: { en: 'Guides', zh: '指南' },
    guides: [
      { path: 'receivers', file: 'docs/receivers.md', title: { en: 'Webhooks', zh: 'Webhook 推送' } },
      { path: 'errors', file: 'docs/errors.md', title: { en: 'Errors', zh: '错误处理' } },
      { path: 'pagination', file: 'docs/pagination.md', title: { en: 'Pagination and limits', zh: '分页与限制' } },
      { path: 'imports', file: 'docs/imports.md', title: { en: 'Imports', zh: '文件导入' } },
      { path: 'bulk-actions', file: 'docs/bulk-actions.md', title: { en: 'Bulk actions', zh: '批量操作' } },
      { path: 'tracking-page', file: 'docs/tracking-page.md', title: { en: 'Tracking pages', zh: '买家查询页' } },
      { path: 'platforms', file: 'docs/platforms.md', title: { en: 'Platforms', zh: '平台接入' } },
      { path: 'migrating', file: 'docs/migrating.md', title: { en: 'Migrating', zh: '迁移' } },
    ],
  },
  {
    title: { en: 'Libraries and tools', zh: '客户端库与工具' },
    guides: [
      {
        path: 'client',
        file: 'packages/client/README.md',
        title: { en: 'TypeScript client', zh: 'TypeScript 客户端' },
      },
      {
        path: 'clients',
        file: 'docs/clients.md',
        title: { en: 'Python, Go, PHP and Java', zh: 'Python、Go、PHP 与 Java' },
      },
      {
        path: 'verifier',
        file: 'packages/webhook-verifier/README.md',
        title: { en: 'Webhook verifier', zh: 'Webhook 验签库' },
      },
      { path: 'cli', file: 'docs/cli.md', title: { en: 'Command line (pts)', zh: '命令行工具 pts' } },
      { path: 'agents', file: 'docs/agents.md', title: { en: 'Agents (MCP)', zh: '智能体（MCP）' } },
    ],
  },
  {
    title: { en: 'Policies', zh: '政策' },
    guides: [
      { path: 'versioning', file: 'docs/versioning.md', title: { en: 'Versioning', zh: '版本与弃用' } },
      { path: 'changelog', file: 'CHANGELOG.md', title: { en: 'Changelog', zh: '更新日志' } },
      { path: 'support', file: 'docs/support.md', title: { en: 'Status and support', zh: '状态与支持' } },
    ],
  },
];
