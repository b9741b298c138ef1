import { rejectedRows as contract } from '@pts/contract/operations/imports';
import { type ImportColumn, nextRejects } from '@pts/db/imports';
import { DEADLINES } from '@pts/db/pool';
import type { RunKey } from '@pts/db/run-leases';
import { findImport, rejectedHeader } from '@pts/service/imports';
import { withStreamLease } from '@pts/service/streams';
import type { ApiDeps } from '../../deps.ts';
import { createValidator } from '../../http/body/validate.ts';
import { type Exchange, streamOperation } from '../../http/operation.ts';
import { watchReader } from '../../streaming/reader.ts';

const validate = createValidator(contract.request);

/** GET /imports/{id}/rejected.csv */
export const rejectedRows = streamOperation(contract, {
  async stream(deps, { account }, { request, response, confirm }) {
    const { id } = validate(request.params);
    const key = { accountId: account.id, id };
    const { columns } = await findImport(deps, key);
    // A file that nobody reads takes memory.
    await withStreamLease(deps, { accountId: account.id, kind: 'export', max: deps.streams.maxConcurrency }, () =>
      writeFile(deps, key, columns ?? [], { request, response, confirm }),
    );
  },
});

async function writeFile(
  { db: impatient, streams }: ApiDeps,
  key: RunKey,
  columns: readonly ImportColumn[],
  { request, response, confirm }: Pick<Exchange, 'request' | 'response' | 'confirm'>,
): Promise<void> {
  const db = impatient.$within(DEADLINES.statement);
  response.setHeader('Content-Type', 'text/csv; charset=utf-8');
  response.setHeader('Content-Disposition', `attachment; filename="rejected-${key.id}.csv"`);
  // A HEAD has the headers of the file, and no rows.
  if (request.method === 'HEAD') return void response.end();
  const reader = watchReader(response, streams.stalledMs);
  response.write(rejectedHeader(columns));
  for (let page = await nextRejects(db, key, 0); page; page = await nextRejects(db, key, page.firstRow)) {
    await confirm();
    response.write(page.csv);
    await reader.room();
    if (reader.gone.aborted) return;
  }
  response.end();
}
