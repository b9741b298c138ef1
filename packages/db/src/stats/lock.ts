import { column, columns } from '../connection/rows.ts';

/** Takes the lock of those who change folded figures, until the transaction ends; false while another process has it. */
export const LOCKED = columns({ isOurs: column<boolean>('pg_try_advisory_xact_lock(7351001)') });
