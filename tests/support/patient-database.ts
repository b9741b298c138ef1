/** For processes under test: a busy machine is not a database in trouble. */
export const PATIENT_DATABASE = { DATABASE_REQUEST_TIMEOUT_MS: '8000' } as const;
