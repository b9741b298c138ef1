import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a migration since the baseline must not say of a table that it has not created. While a release is rolled out,
 * the processes of the previous one run on its schema, so what is dropped is dropped one release later, after a line
 * `-- Unused since X.Y.Z.`; and the writers of a table wait while a statement reads or writes all of it. An index may be
 * unique if a comment says `These columns are unique already.`
 */
const FORBIDDEN: readonly [said: RegExp, instead: string][] = [
  [/\bDROP (?!NOT NULL|CONSTRAINT (?!\w+_(pkey|key)\b)|INDEX|FUNCTION|TRIGGER)/, 'drop it one release later'],
  [/\bRENAME\b/, 'add the new name beside the old one'],
  [/\bALTER (COLUMN )?\w+ (SET NOT NULL|(SET DATA )?TYPE\b)/, 'add another column'],
  [/\bADD (COLUMN )?(?!CONSTRAINT)\w+ .*\bNOT NULL\b(?!.*\b(DEFAULT|GENERATED)\b)/, 'give it a default'],
  [/\bADD .*(\bDEFAULT (?!now\b)\w+\(|\bGENERATED\b)/, 'fill the column in a procedure'],
  [/\bADD CONSTRAINT (?!.*\b(NOT VALID|USING INDEX)\b)/, 'add it as NOT VALID, and validate it in a later file'],
  [/^CREATE UNIQUE INDEX\b/, 'rows of the previous release may be equal'],
  [/^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)/, 'build it with CREATE INDEX CONCURRENTLY in an online migration'],
  [/^(CREATE (UNIQUE )?|DROP )INDEX CONCURRENTLY (?!IF )/, 'add IF [NOT] EXISTS: an online migration is repeated'],
  [/^(BEGIN|START TRANSACTION|COMMIT|END|ROLLBACK|ABORT)\b/, 'a migration is a transaction already'],
  [/^(UPDATE|DELETE FROM|REINDEX|CLUSTER|VACUUM FULL)\b/, 'change rows in a procedure, some at a time'],
];

/** The statements of a migration that are forbidden, each with what to do instead. */
function faultsOf(sql: string): string[] {
  const own = Array.from(sql.matchAll(/CREATE TABLE "?(\w+)"?/g), ([, table]) => table);
  return sql
    .replace(/\$\$.*?\$\$/gs, '')
    .split(';')
    .filter((statement) => !/-- Unused since \d+\.\d+\.\d+\./.test(statement))
    .map((statement) =>
      (/-- .*These columns are unique already\./.test(statement) ? statement.replace('UNIQUE ', '') : statement)
        .replace(/--.*|'[^']*'|"/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((statement) => !own.some((table) => new RegExp(`\\b(TABLE|ON) ${table}\\b`).test(statement)))
    .flatMap((statement) =>
      FORBIDDEN.filter(([said]) => said.test(statement)).map(([, instead]) => `${statement}: ${instead}`),
    );
}

test('migrations since the baseline only expand, and hold up no writer of a large table', () => {
  const folder = join(import.meta.dirname, '../prisma/migrations');
  const [, ...since] = readdirSync(folder)
    .filter((name) => /^\d/.test(name))
    .sort();
  expect(since.flatMap((name) => faultsOf(readFileSync(join(folder, name, 'migration.sql'), 'utf8')))).toEqual([]);
});

// biome-ignore format: one statement per line is readable as a table
test.each([
  ['ALTER TABLE "parcels" DROP COLUMN "weight";', 1],
  ['DROP TABLE parcels;', 1],
  ['-- Unused since 0.4.0.\nDROP TABLE parcels;', 0],
  ['ALTER TABLE parcels RENAME COLUMN weight TO grams;', 1],
  ['ALTER TABLE parcels ALTER COLUMN weight SET NOT NULL;', 1],
  ['ALTER TABLE parcels ADD COLUMN a int NOT NULL;', 1],
  ['ALTER TABLE parcels ADD COLUMN a int, ADD COLUMN b int NOT NULL DEFAULT 0;', 0],
  ['ALTER TABLE parcels ADD CONSTRAINT c CHECK (a > 0);', 1],
  ['ALTER TABLE parcels ADD CONSTRAINT c CHECK (a > 0) NOT VALID;', 0],
  ['CREATE INDEX i ON parcels (weight);', 1],
  ['CREATE INDEX CONCURRENTLY i ON parcels (weight);', 1],
  ['CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON parcels (weight);', 0],
  ['CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON parcels (weight);', 1],
  ['-- These columns are unique already.\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON parcels (weight);', 0],
  ['-- These columns are unique already.\nCREATE UNIQUE INDEX i ON parcels (weight);', 1],
  ['CREATE FUNCTION f() RETURNS trigger AS $$\nBEGIN\n  DELETE FROM parcels;\n  RETURN NULL;\nEND\n$$;', 0],
  ['BEGIN;', 1],
  ['CREATE TABLE boxes (id int NOT NULL); CREATE UNIQUE INDEX i ON boxes (id);', 0],
  ['UPDATE parcels SET weight = 1;', 1],
])('%s: %i faults', (sql, faults) => {
  expect(faultsOf(sql)).toHaveLength(faults);
});
