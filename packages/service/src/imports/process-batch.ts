import { ERRORS, ServiceError } from '@pts/core/errors';
import { type Field, ROW_FAULTS, type RowFault } from '@pts/core/imports';
import type { Account } from '@pts/db/accounts/accounts';
import { fromWire } from '@pts/db/trackings/inputs';
import { registeredWithin, type Span, updateInputs } from '@pts/db/trackings/records';
import type { Registration } from '@pts/db/trackings/register';
import type { TableRow } from '@pts/tabular/table';
import type { ServiceContext } from '../context.ts';
import {
  type BulkItem,
  loadLearned,
  previewMany,
  type RegistrationInput,
  registerWhatFits,
  registrationOrRefusal,
} from '../trackings/register.ts';
import type { ReadRow } from './read-row.ts';

export type ImportContext = Pick<
  ServiceContext,
  'db' | 'producer' | 'providers' | 'sandbox' | 'learned' | 'quotas' | 'now'
>;

/** A row that was not registered: its group, and why, in words of its own. */
export type Reject = { row: TableRow; fault: RowFault; reason: string };
/** What became of some rows. */
export type Processed = { registered: number; known: number; updated: number; rejects: Reject[] };

type Given = { row: TableRow; input: RegistrationInput };

/**
 * Registers rows with the account's quota, as the other ways of registering do; when it is used up, the rest is rejected. Known
 * parcels get the fields that the rows have. Repeating it registers and charges nothing twice.
 * @param earlier when these rows may have been processed before: parcels that were registered then count as registered.
 */
export async function registerRows(
  ctx: ImportContext,
  account: Account,
  rows: readonly ReadRow[],
  earlier: Span | null,
): Promise<Processed> {
  const { items, rejects } = await toItems(ctx, rows);
  const { accepted, refused } = await registerWhatFits(ctx, account, items);
  const known = accepted.filter(({ tracking }) => !tracking.created);
  const updates = new Map<string, Parameters<typeof updateInputs>[2][number]>();
  for (const { given, tracking } of known) {
    const inputs = { ...updates.get(tracking.id)?.inputs, ...fromWire(given.input) };
    updates.set(tracking.id, { id: tracking.id, inputs });
  }
  const updated = await updateInputs(ctx.db, account.id, [...updates.values()], ctx.now());
  const ids = new Set(known.map(({ tracking }) => tracking.id));
  const before = earlier === null ? new Set() : await registeredWithin(ctx.db, account.id, [...ids], earlier);
  const counts = { registered: accepted.length - known.length, known: 0, updated: 0 };
  // A number may be in several rows: it counts as registered, or as updated, once.
  for (const { tracking } of known) {
    if (before.delete(tracking.id)) counts.registered += 1;
    else if (updated.delete(tracking.id)) counts.updated += 1;
    else counts.known += 1;
  }
  return { ...counts, rejects: [...rejects, ...refused.map(({ given, error }) => refusedRow(given.row, error))] };
}

/**
 * What `registerRows` would do now, whatever the quota: nothing is stored, charged or queried.
 * @param charged the registrations that would be charged so far, which are added to it.
 */
export async function previewRows(
  ctx: Pick<ImportContext, 'db' | 'providers' | 'sandbox' | 'learned' | 'quotas' | 'now'>,
  account: Account,
  rows: readonly ReadRow[],
  charged: Set<string>,
): Promise<Processed> {
  const { items, rejects } = await toItems(ctx, rows);
  const unlimited = { ...account, quotaOverride: Number.POSITIVE_INFINITY };
  const { accepted, refused } = await previewMany(ctx, unlimited, items);
  const before = charged.size;
  for (const { tracking } of accepted) if (tracking.charged) charged.add(keyOf(tracking.registration));
  const registered = charged.size - before;
  return {
    registered,
    known: accepted.length - registered,
    updated: 0,
    rejects: [...rejects, ...refused.map(({ given, error }) => refusedRow(given.row, error))],
  };
}

/**
 * Adds to `charged` what rows that an earlier run has previewed register. For known parcels that is too much, but does not matter:
 * they are not charged anyway.
 */
export async function rememberCharged(
  ctx: Pick<ImportContext, 'providers' | 'sandbox' | 'learned'>,
  rows: readonly ReadRow[],
  charged: Set<string>,
): Promise<void> {
  const { items } = await toItems(ctx, rows);
  for (const { wanted } of items) if (!(wanted instanceof ServiceError)) charged.add(keyOf(wanted));
}

function keyOf({ trackingNumber, carrier, detected }: Registration): string {
  return detected ? trackingNumber : `${trackingNumber} ${carrier}`;
}

async function toItems(
  ctx: Pick<ImportContext, 'providers' | 'sandbox' | 'learned'>,
  rows: readonly ReadRow[],
): Promise<{ items: BulkItem<Given>[]; rejects: Reject[] }> {
  const rejects: Reject[] = [];
  const readable: Given[] = [];
  for (const read of rows) {
    if ('input' in read) readable.push(read);
    else rejects.push({ ...read, reason: inWords(read.fault) });
  }
  await loadLearned(
    ctx,
    readable.map(({ input }) => input),
  );
  const items = readable.map((given) => ({ given, wanted: registrationOrRefusal(ctx, () => given.input) }));
  return { items, rejects };
}

/** The same for all rows that are repaired in the same way; the message of an error may name more. */
const GROUPS: Partial<Record<ServiceError['error'], RowFault>> = {
  carrier_undetected: { field: 'courier_code', message: ROW_FAULTS.carrier_undetected },
  unknown_courier: { field: 'courier_code', message: ROW_FAULTS.unknown_courier },
  quota_exhausted: { field: null, message: ROW_FAULTS.quota_exhausted },
};

function refusedRow(row: TableRow, { error, message, fields }: ServiceError): Reject {
  const [first] = fields;
  const named = { field: (first?.field ?? null) as Field | null, message: first?.message ?? ERRORS[error].text };
  const fault = GROUPS[error] ?? named;
  return { row, fault, reason: error === 'carrier_undetected' ? message : inWords(fault) };
}

function inWords({ field, message }: RowFault): string {
  return field === null ? message : `${field} ${message}`;
}
