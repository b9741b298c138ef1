import { setImmediate as nextRound } from 'node:timers/promises';
import { refusedField, ServiceError } from '@pts/core/errors';
import { readChunks } from '@pts/db/imports/chunks';
import { findImport, type Import, type ImportColumn, queueImport } from '@pts/db/imports/imports';
import { FileFault } from '@pts/tabular/table';
import type { ServiceContext } from '../context.ts';
import { ColumnFault, openTable } from './open-table.ts';
import type { ReceivedFile } from './receive-file.ts';

/**
 * Makes an import of a file that was received, and wakes a poller, which runs it. Of a text, the header is read at once; a workbook
 * has to be unpacked for that.
 * @throws ServiceError `invalid_field` for a column that does not exist, or if there is none for tracking numbers; `bad_request`
 *   for a file that cannot be read.
 */
export async function startImport(
  { db, producer }: Pick<ServiceContext, 'db' | 'producer'>,
  file: ReceivedFile,
): Promise<Import> {
  const { id, accountId, fileBytes, encoding } = file;
  const columns = file.format === 'xlsx' ? null : await readColumns({ db }, file);
  const found = (await queueImport(db, file, { fileBytes, encoding, columns }))
    ? await findImport(db, accountId, id)
    : null;
  if (!found) throw new Error('an upload has gone before it became an import');
  await producer.startRun({ kind: 'import', id, accountId });
  return found;
}

async function readColumns({ db }: Pick<ServiceContext, 'db'>, file: ReceivedFile): Promise<ImportColumn[]> {
  const source = {
    size: file.fileBytes,
    read: (start: number, end: number) => readChunks(db, file, start, end),
    pause: () => nextRound(),
  };
  try {
    const { columns, rows } = await openTable(source, file);
    await rows.return(undefined);
    return columns;
  } catch (error) {
    if (error instanceof ColumnFault) throw refusedField(`${error.field}_column`, error.fault);
    if (error instanceof FileFault) throw new ServiceError('bad_request', { text: error.message });
    throw error;
  }
}
