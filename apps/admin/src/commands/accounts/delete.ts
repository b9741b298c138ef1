import { countAccountRows, eraseAccount } from '@pts/db/accounts/personal-data';
import { databaseCommand } from '../../command-line/database-command.ts';
import { Problem } from '../../command-line/problem.ts';
import { getAccount } from '../../records/accounts.ts';

/** Rows between two lines of progress. */
const ROWS_PER_LINE = 10_000;

export const accountsDelete = databaseCommand({
  name: 'accounts delete',
  audited: 'before',
  personal: ['confirm'],
  takes: ['id'],
  options: {
    confirm: { value: 'NAME', about: 'The name of the account, to delete it. It must be disabled.' },
    'dry-run': { about: 'Only count its rows.' },
  },
  about:
    'Delete a disabled account with everything that is stored of it, for good. Safe to repeat, also while services run.',
  async run({ db }, { id, confirm, 'dry-run': isDryRun }, { out }) {
    const account = await getAccount(db, id);
    if (isDryRun) {
      const rows = await countAccountRows(db, id);
      return {
        lines: [`${account.name} (${id}) has ${inWords(rows)}.`],
        json: { account: { id }, rows, dry_run: true },
      };
    }
    if (account.disabledAt === null)
      throw new Problem(`${account.name} (${id}) is active. Disable it first: \`accounts disable ${id}\`.`);
    if (confirm !== account.name)
      throw new Problem(`Confirm that it is the right account: --confirm "${account.name}". Nothing was deleted.`);
    let reported = 0;
    const rows = await eraseAccount(db, id, (deleted) => {
      const total = Object.values(deleted).reduce((sum, count) => sum + count, 0);
      if (total - reported < ROWS_PER_LINE) return;
      reported = total;
      out(`Deleted so far: ${inWords(deleted)}.`);
    });
    return {
      lines: [`${account.name} (${id}) is deleted, with ${inWords(rows)}.`],
      json: { account: { id }, rows, dry_run: false },
    };
  },
});

function inWords(rows: Record<string, number>): string {
  const parts = Object.entries(rows).map(([table, count]) => `${count} ${table.replaceAll('_', ' ')}`);
  return parts.length === 0 ? 'nothing else' : parts.join(', ');
}
