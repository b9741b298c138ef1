/** The largest file of an import, in bytes. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Rows of a file, besides its header. */
export const MAX_ROWS = 200_000;
/** Imports of an account that have not ended. */
export const MAX_UNFINISHED = 5;
/** Imports of an account that are kept; beyond this, the oldest that has ended is forgotten. */
export const MAX_IMPORTS = 20;
/** Days for which an import and its rejected rows are kept. Its file is deleted when it ends. */
export const IMPORT_DAYS = 30;
