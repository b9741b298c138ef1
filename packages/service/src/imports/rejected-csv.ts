import { guarded } from '@pts/core/csv';
import type { ImportColumn } from '@pts/db/imports/imports';
import { textOf } from './open-table.ts';
import type { Reject } from './process-batch.ts';

/** The last column of rejected rows. A file that has it already was rejected before: it gets new reasons. */
const REASON = 'rejected_because';
/** Spreadsheets take a file for UTF-8 by this. */
const BYTE_ORDER_MARK = '\ufeff';

/** The header of rejected rows: the columns of their file, and the reason. */
export function rejectedHeader(columns: readonly ImportColumn[]): string {
  return `${BYTE_ORDER_MARK}${toLine([...columns.flatMap(({ header }) => (header === REASON ? [] : guarded(header))), REASON])}`;
}

/** Rejected rows with their reasons, under that header. */
export function rejectedLines(columns: readonly ImportColumn[], rejects: readonly Reject[]): string {
  return rejects
    .map(({ row, reason }) => {
      const cells = columns.flatMap(({ header }, place) =>
        header === REASON ? [] : guarded(textOf(row.cells[place])),
      );
      return toLine([...cells, reason]);
    })
    .join('');
}

function toLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(',')}\r\n`;
}
