import type { Infer } from '@pts/contract/infer';
import type { importView } from '@pts/contract/schemas/imports';
import { codeOfFault, FIELDS, IMPORT_DAYS } from '@pts/core/imports';
import { toUtcSeconds } from '@pts/core/time';
import type { Account } from '@pts/db/accounts/accounts';
import type { Import } from '@pts/db/imports';
import { readQuota } from '@pts/service/accounts';
import type { ApiDeps } from '../../deps.ts';
import { createWarnings } from '../../http/body/unknown-in-body.ts';

const DAY_MS = 86_400_000;
const timeOf = (time: Date | null) => time && toUtcSeconds(time);

/** Imports of an account; for dry runs, also what is left of its quota. */
export async function viewImports(
  deps: Pick<ApiDeps, 'db' | 'quotas' | 'now'>,
  account: Account,
  imports: readonly Import[],
): Promise<Infer<typeof importView>[]> {
  const quota = imports.some(({ dryRun }) => dryRun) ? await readQuota(deps, account) : null;
  return imports.map((found) => ({
    ...viewImport(found),
    ...(found.dryRun && quota ? { quota_remaining: quota.remaining } : {}),
  }));
}

function viewImport(found: Import): Infer<typeof importView> {
  const { state, rowsTotal, read, registered, known, updated, rejected, finishedAt } = found;
  return {
    id: found.id,
    // One that is still uploading is not found.
    state: state === 'uploading' ? 'queued' : state,
    dry_run: found.dryRun,
    file_name: found.fileName,
    format: found.format,
    encoding: found.encoding,
    file_bytes: found.fileBytes,
    columns: found.columns ?? [],
    ...ignoredColumns(found.columns ?? []),
    rows: { total: rowsTotal, read, registered, known, updated, rejected },
    units: registered,
    progress: state === 'done' ? 100 : Math.floor((100 * read) / Math.max(1, rowsTotal ?? 1)),
    rows_per_second: rateOf(found),
    faults: found.faults.map((fault) => {
      const code = codeOfFault(fault);
      return { ...fault, ...(code && { code }) };
    }),
    error: found.error,
    created_at: toUtcSeconds(found.createdAt),
    started_at: timeOf(found.startedAt),
    finished_at: timeOf(finishedAt),
    expires_at: finishedAt && toUtcSeconds(new Date(finishedAt.getTime() + IMPORT_DAYS * DAY_MS)),
  };
}

/** The columns with a header that are read as nothing. */
function ignoredColumns(columns: NonNullable<Import['columns']>) {
  const warnings = createWarnings();
  const ignored = columns.filter(({ field }) => field === null).map(({ header }) => [header.trim(), true]);
  // Only fields that have no column can be meant by one.
  const free = FIELDS.filter((field) => columns.every((column) => column.field !== field));
  warnings.lookAt(Object.fromEntries(ignored.filter(([header]) => header !== '')), free);
  return warnings.found();
}

function rateOf({ read, startedAt, progressAt }: Import): number | null {
  if (read === 0 || !startedAt || !progressAt) return null;
  const seconds = Math.max(0.001, (progressAt.getTime() - startedAt.getTime()) / 1000);
  return Math.round((10 * read) / seconds) / 10;
}
