import { column, columns } from '../connection.ts';

/** The number of the lock of those who change folded figures. */
export const FOLD_LOCK = 7351001;

/** Takes that lock, until the transaction ends; false while another process has it. */
export const LOCKED = columns({ isOurs: column<boolean>(`pg_try_advisory_xact_lock(${FOLD_LOCK})`) });
