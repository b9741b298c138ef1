import { once } from 'node:events';
import { rejectedRows as contract } from '@pts/contract/operations/imports';
import { DEADLINES, withDeadline } from '@pts/db/connection/deadline';
import { nextRejects } from '@pts/db/imports/rejects';
import { findImport } from '@pts/service/imports/find';
import { rejectedHeader } from '@pts/service/imports/rejected-csv';
import type { Response } from 'express';
import { createValidator } from '../../http/body/validate.ts';
import { streamOperation } from '../../http/operation.ts';

const validate = createValidator(contract.request);

/** GET /imports/{id}/rejected.csv */
export const rejectedRows = streamOperation(contract, {
  async stream(deps, { account }, { request, response, confirm }) {
    const { id } = validate(request.params);
    const key = { accountId: account.id, id };
    const { columns } = await findImport(deps, key);
    response.setHeader('Content-Type', 'text/csv; charset=utf-8');
    response.setHeader('Content-Disposition', `attachment; filename="rejected-${id}.csv"`);
    // A HEAD has the headers of the file, and no rows.
    if (request.method === 'HEAD') return void response.end();
    await withDeadline(DEADLINES.statement, async () => {
      await write(response, deps.streams.stalledMs, rejectedHeader(columns ?? []));
      let page = await nextRejects(deps.db, key, 0);
      while (page && !response.destroyed) {
        await confirm();
        await write(response, deps.streams.stalledMs, page.csv);
        page = await nextRejects(deps.db, key, page.firstRow);
      }
    });
    response.end();
  },
});

/** Waits for the reader; one that reads nothing for too long counts as gone. */
async function write(response: Response, stalledMs: number, piece: string | Buffer): Promise<void> {
  if (response.write(piece) || response.destroyed) return;
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  const timer = setTimeout(() => response.destroy(), stalledMs);
  await once(response, 'drain', { signal: gone.signal }).catch(() => {});
  clearTimeout(timer);
  response.off('close', leave);
}
