import { pageLimitAsNumber } from '@pts/contract/common';
import { listShipments as contract } from '@pts/contract/operations/shipments';
import type { Fault } from '@pts/core/errors';
import { ID_PATTERN } from '@pts/core/id';
import type { Db } from '@pts/db/connection';
import { isDatabaseUnreachable } from '@pts/db/errors';
import { within } from '@pts/db/pool';
import { countShipments, type ShipmentCount } from '@pts/db/shipments/count';
import { listShipments } from '@pts/db/shipments/list';
import { NEWEST_CHANGE_FIRST, type ShipmentFilter } from '@pts/db/shipments/shipment';
import { filterFaults, readFilter, readOrder } from '@pts/service/shipments/filter';
import { operation } from '../../http/operation.ts';
import { cursorFaults, readCursor, toCursor } from './cursor.ts';
import { viewShipment } from './view.ts';

/** GET /shipments */
export const shipments = operation(contract, {
  faults: (deps, input) => [...filterFaults(deps, input), ...idsFaults(input), ...cursorFaults(input)],
  async run(deps, { account, language }, input) {
    const { reads, now } = deps;
    const at = now();
    const filter = { ...readFilter(account.id, input, at), ...byIds(input.ids) };
    const order = readOrder(input, NEWEST_CHANGE_FIRST);
    const limit = input.limit === undefined ? pageLimitAsNumber.default : Number(input.limit);
    const after = readCursor(input.cursor, order);
    const readPage = async (db: Db) => {
      const page = await listShipments(db, { filter, order, after, limit });
      return { page, count: input.count === 'true' ? await countInTime(db, filter) : null };
    };
    // A `poll_url` lists what was registered a moment ago, perhaps through another process.
    const reader = { providers: deps.providers, language, now: at };
    const { page, count } = await (input.ids === undefined ? reads.read(account.id, readPage) : readPage(deps.db));
    return {
      shipments: page.rows.map((row) => viewShipment(row, reader)),
      next_cursor: page.next && toCursor(page.next, order),
      ...(count && { total: count.total, total_is_lower_bound: count.isLowerBound }),
    };
  },
});

/** Null if it takes longer than half of the time of a statement: the rows are there. */
async function countInTime(db: Db, filter: ShipmentFilter): Promise<ShipmentCount | null> {
  try {
    return await within(db.$statementMs / 2, countShipments(db, filter), () => null);
  } catch (error) {
    if (isDatabaseUnreachable(error)) return null;
    throw error;
  }
}

/** Wrong ids that a refusal names. */
const MAX_NAMED = 5;

/** The trackings of a `poll_url`, each once; none if nothing was accepted. */
function byIds(text: string | undefined): { ids?: string[] } {
  return text === undefined ? {} : { ids: [...new Set(idsIn(text))] };
}

function idsFaults({ ids }: Record<string, unknown>): Fault[] {
  if (typeof ids !== 'string') return [];
  const message = 'must be an id of 24 lowercase hexadecimal characters; ids are separated by commas';
  return idsIn(ids)
    .flatMap((id, index) =>
      ID_PATTERN.test(id) ? [] : [{ field: `ids.${index}`, message, error: 'invalid_id' as const }],
    )
    .slice(0, MAX_NAMED);
}

function idsIn(text: string): string[] {
  return text === '' ? [] : text.split(',');
}
