import type { Db } from '@pts/db/connection';
import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { admin, type Ran } from './run.ts';

/** A database for each test of a file, and the command line on it. */
export type DatabasePerTest = {
  readonly url: string;
  readonly db: Db;
  /** @param env besides the database. */
  run(argv: readonly string[], env?: NodeJS.ProcessEnv, now?: () => Date): Promise<Ran>;
};

export function databasePerTest(poolSize = 2): DatabasePerTest {
  let database: OpenTestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase(poolSize);
  });
  afterEach(() => database.close());
  return {
    get url() {
      return database.url;
    },
    get db() {
      return database.db;
    },
    run: (argv, env = {}, now) => admin(argv, { DATABASE_URL: database.url, ...env }, now),
  };
}
