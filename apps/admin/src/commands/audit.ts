import { readAudit } from '@pts/db/audit';
import type { Command } from '../command.ts';
import { databaseCommand } from '../installation.ts';
import { readTime } from '../values.ts';

const auditExport = databaseCommand({
  name: 'audit export',
  takes: [],
  options: {
    since: { value: 'TIME', about: 'only entries from this time on, such as 2026-12-01T00:00:00Z' },
    account: { value: 'ID', about: 'only entries about this account, even if it was deleted' },
  },
  about: 'Print the actions of operators and of admin keys as lines of JSON, oldest first.',
  async run({ db }, { since, account }, { line }) {
    const from = readTime('since', since, new Date(0));
    for await (const { at, actor, action, accountId, details } of readAudit(db, { since: from, accountId: account }))
      line(JSON.stringify({ at, actor, action, account_id: accountId, details }));
    return { lines: [], json: undefined };
  },
});

/** In the order of the help text. */
export const audit: readonly Command[] = [auditExport];
