/** For processes under test: a busy machine must not look like a database in trouble. */
export const PATIENT_DATABASE = { DATABASE_REQUEST_TIMEOUT_MS: '8000' } as const;
