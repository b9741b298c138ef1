import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractions, longLocks, statementsOf } from './support/migration-rule.ts';

const BEFORE = [
  {
    name: '1_init',
    sql: `CREATE TABLE "parcels" ("id" int PRIMARY KEY, "weight" int); CREATE UNIQUE INDEX "parcels_weight_key" ON "parcels"("weight");
      CREATE INDEX "parcels_id_idx" ON "parcels"("id");`,
  },
];
const check = (...sql: string[]) =>
  contractions(
    BEFORE,
    sql.map((text, n) => ({ name: `${n + 2}_next`, sql: text })),
    ['1.1.0', '1.0.0'],
  );

test.each([
  ['a column', 'ALTER TABLE "parcels" DROP COLUMN "weight";', 'drops parcels.weight'],
  ['a column among other things', 'ALTER TABLE parcels ADD a int, DROP weight;', 'drops parcels.weight'],
  ['a table', 'DROP TABLE IF EXISTS public.parcels CASCADE;', 'drops the table parcels'],
  ['a unique index', 'DROP INDEX "parcels_weight_key";', 'drops the unique index parcels_weight_key'],
  ['a key', 'alter table only parcels drop constraint parcels_pkey;', 'drops the key parcels_pkey'],
  ['a name of a column', 'ALTER TABLE parcels RENAME COLUMN weight TO grams;', 'renames parcels'],
  ['a name of a table', 'ALTER TABLE parcels RENAME TO boxes;', 'renames parcels'],
  [
    'a column of a table that became partitioned',
    `ALTER TABLE parcels RENAME TO parcels_floor; CREATE TABLE parcels (LIKE parcels_floor, PRIMARY KEY (id)) PARTITION BY RANGE (id);
     ALTER TABLE parcels ATTACH PARTITION parcels_floor FOR VALUES FROM (MINVALUE) TO (9); ALTER TABLE parcels DROP weight;`,
    'drops parcels.weight',
  ],
  [
    'rows by a partitioned table in the place of another',
    `ALTER TABLE parcels RENAME TO parcels_floor; CREATE TABLE parcels (LIKE parcels_floor, PRIMARY KEY (id)) PARTITION BY RANGE (id);`,
    'renames parcels',
  ],
  ['a type', 'ALTER TABLE parcels ALTER COLUMN weight SET DATA TYPE bigint;', 'says SET DATA TYPE of parcels.weight'],
  [
    'a type, tersely',
    'ALTER TABLE parcels ALTER weight TYPE bigint USING (weight::bigint);',
    'says TYPE of parcels.weight',
  ],
  ['a null', 'ALTER TABLE parcels ALTER COLUMN weight SET NOT NULL;', 'says SET NOT NULL of parcels.weight'],
  ['a default', 'ALTER TABLE parcels ALTER COLUMN weight DROP DEFAULT;', 'says DROP DEFAULT of parcels.weight'],
  [
    'inserts without a new column',
    'ALTER TABLE parcels ADD COLUMN a numeric(3, 1) NOT NULL;',
    'adds parcels.a as NOT NULL',
  ],
  ['equal rows', 'CREATE UNIQUE INDEX CONCURRENTLY a ON parcels (weight);', 'makes rows of parcels unique'],
  [
    'equal rows, by a new column that is never null',
    'ALTER TABLE parcels ADD a int DEFAULT 0; CREATE UNIQUE INDEX i ON parcels (a);',
    'makes rows of parcels unique',
  ],
  [
    'equal rows, by a new column without a value',
    'ALTER TABLE parcels ADD a int; CREATE UNIQUE INDEX i ON parcels (a) NULLS NOT DISTINCT;',
    'makes rows of parcels unique',
  ],
  ['equal rows, by an expression', 'CREATE UNIQUE INDEX i ON parcels (lower(a));', 'makes rows of parcels unique'],
  [
    'equal rows, as a constraint',
    'ALTER TABLE parcels ADD CONSTRAINT a UNIQUE (weight);',
    'makes rows of parcels unique',
  ],
])('a migration that removes %s is refused, with the rule', (_what, sql, fault) => {
  const faults = check(sql);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(`2_next: it ${fault}`);
  expect(faults[0]).toContain('what is dropped is dropped one release later');
});

test.each([
  [
    'columns that may be null or have a default',
    `ALTER TABLE parcels ADD COLUMN a int, ADD COLUMN b text NOT NULL DEFAULT 'x;';`,
  ],
  [
    'tables',
    'CREATE TABLE boxes (id int NOT NULL); CREATE UNIQUE INDEX boxes_id ON boxes (id); ALTER TABLE boxes DROP id;',
  ],
  [
    'unique columns that the previous release leaves null',
    'ALTER TABLE parcels ADD COLUMN a int; CREATE UNIQUE INDEX i ON parcels ("a");',
  ],
  [
    'columns that are changed at once',
    'ALTER TABLE parcels ADD a int; UPDATE parcels SET a = 1; ALTER TABLE parcels ALTER a SET NOT NULL;',
  ],
  [
    'a partitioned table in the place of another, which becomes a partition of it',
    `ALTER TABLE parcels RENAME TO parcels_floor; CREATE TABLE parcels (LIKE parcels_floor INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
     ALTER TABLE parcels ATTACH PARTITION parcels_floor FOR VALUES FROM (MINVALUE) TO (9);`,
  ],
  [
    'a key by an index that is unique',
    'ALTER TABLE parcels ADD CONSTRAINT k PRIMARY KEY USING INDEX parcels_weight_key;',
  ],
  [
    'functions that it drops again',
    'CREATE FUNCTION "f"(a int) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$; DROP FUNCTION f(int);',
  ],
  ['indexes instead of others', 'CREATE INDEX i ON parcels (weight); DROP INDEX parcels_id_idx;'],
  ['defaults', 'ALTER TABLE parcels ALTER COLUMN weight SET DEFAULT 0, ALTER COLUMN weight DROP NOT NULL;'],
  ['statements inside comments', '-- ALTER TABLE parcels DROP COLUMN weight;\nSELECT 1; /* DROP TABLE parcels; */'],
  [
    'statements inside texts or functions',
    `SELECT 'DROP TABLE parcels;'; DO $$ BEGIN PERFORM 1; DROP TABLE IF EXISTS t; END $$;`,
  ],
])('a migration may add %s', (_what, sql) => {
  expect(check(sql)).toEqual([]);
});

test('objects that no release uses any more are dropped with a comment that says since when', () => {
  const drop = 'ALTER TABLE parcels DROP COLUMN weight;';
  expect(check(`-- Unused since 1.1.0.\n${drop}`)).toEqual([]);
  expect(check(`-- Unused since 1.2.0.\n${drop}`)).toHaveLength(1);
  expect(check(`-- Unused since 1.1.0.\nSELECT 1; ${drop}`)).toHaveLength(1);
});

test('a later migration may drop objects of an unreleased one', () => {
  expect(check('ALTER TABLE parcels ADD COLUMN a int;', 'ALTER TABLE parcels DROP COLUMN a;')).toEqual([]);
});

const held = (...sql: string[]) => longLocks(sql.map((text, n) => ({ name: `${n + 2}_next`, sql: text })));

test.each([
  ['an index', 'CREATE INDEX i ON parcels (weight);', 'builds an index on parcels'],
  [
    'a unique index',
    'CREATE UNIQUE INDEX IF NOT EXISTS "i" ON ONLY "parcels"("weight");',
    'builds an index on parcels',
  ],
  ['an index, elsewhere', '-- online\nCREATE INDEX ON public.parcels (weight);', 'builds an index on parcels'],
  ['a key', 'ALTER TABLE parcels ADD CONSTRAINT k UNIQUE (weight);', 'builds an index of parcels'],
  ['a check', 'ALTER TABLE parcels ADD a int, ADD CONSTRAINT c CHECK (weight > 0);', 'checks all rows of parcels'],
  ['a reference', 'ALTER TABLE parcels ADD FOREIGN KEY (box) REFERENCES boxes (id);', 'checks all rows of parcels'],
  ['a column that refers', 'ALTER TABLE parcels ADD COLUMN box int REFERENCES boxes;', 'checks all rows of parcels'],
  ['a column with values', 'ALTER TABLE parcels ADD a uuid DEFAULT gen_random_uuid();', 'writes all rows of parcels'],
  ['a computed column', 'ALTER TABLE parcels ADD a int GENERATED ALWAYS AS (1) STORED;', 'writes all rows of parcels'],
  ['a type', 'ALTER TABLE parcels ALTER weight TYPE bigint;', 'writes all rows of parcels'],
  ['no null', 'ALTER TABLE parcels ALTER COLUMN weight SET NOT NULL;', 'checks all rows of parcels'],
  ['a place', 'ALTER TABLE parcels SET UNLOGGED;', 'writes all rows of parcels'],
  ['values', 'UPDATE parcels SET weight = 1;', 'changes rows of parcels in one transaction'],
  ['order', 'VACUUM (VERBOSE, FULL) parcels;', 'says VACUUM (VERBOSE, FULL'],
])('a migration that gives a table of another one %s while its writers wait is refused', (_what, sql, fault) => {
  const faults = held(sql);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(`2_next: it ${fault}; the writers of a table wait`);
});

test.each([
  ['builds an index on a table of its own', 'CREATE TABLE parcels (id int); CREATE INDEX i ON parcels (id);'],
  ['builds one concurrently', '-- online\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON parcels (id);'],
  ['checks rows later', 'ALTER TABLE parcels ADD CONSTRAINT c CHECK (a > 0) NOT VALID;'],
  ['checks rows beside writers', '-- online\nALTER TABLE parcels VALIDATE CONSTRAINT c;'],
  ['makes an index a key', 'ALTER TABLE parcels ADD CONSTRAINT k UNIQUE USING INDEX i;'],
  ['adds a constant', `ALTER TABLE parcels ADD a text NOT NULL DEFAULT 'x', ADD b timestamptz DEFAULT now();`],
  ['changes a default', 'ALTER TABLE parcels ALTER COLUMN a SET DEFAULT random();'],
])('a migration that %s holds up nobody', (_what, sql) => {
  expect(held(sql)).toEqual([]);
});

test('a table of an earlier migration may be in use', () => {
  expect(held('CREATE TABLE parcels (id int);', 'CREATE INDEX i ON parcels (id);')).toHaveLength(1);
});

test('statements end at semicolons, not at those in texts, bodies and comments', () => {
  const sql = `SELECT ';' ; -- one; two\nDO $a$ x; $$ y; $a$; /* ; */ SELECT "a";`;
  expect(statementsOf(sql).map(({ text }) => text)).toEqual(["SELECT ''", "DO ''", 'SELECT a']);
});

test('migrations since the baseline only expand, and hold up no writer of a large table', () => {
  const folder = join(import.meta.dirname, '../prisma/migrations');
  const [baseline, ...since] = readdirSync(folder)
    .filter((name) => /^\d/.test(name))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
  if (!baseline) throw new Error('there is no baseline');
  const released = [...readFileSync(join(folder, '../../CHANGELOG.md'), 'utf8').matchAll(/^## (\d+\.\d+\.\d+)/gm)];
  expect(
    contractions(
      [baseline],
      since,
      released.flatMap(([, version]) => version ?? []),
    ),
  ).toEqual([]);
  expect(longLocks(since)).toEqual([]);
});
