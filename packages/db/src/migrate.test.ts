import { splitStatements } from './migrate.ts';

test.each([
  ['plain ones', 'SELECT 1; SELECT 2;', ['SELECT 1', 'SELECT 2']],
  ['the last one without a semicolon', 'SELECT 1;\nSELECT 2\n', ['SELECT 1', 'SELECT 2']],
  ['texts and names', `SELECT 'a;''b;'; SELECT "c;" FROM d;`, [`SELECT 'a;''b;'`, 'SELECT "c;" FROM d']],
  ['quotes in comments', "-- it's; one\nSELECT 1; /* don't; */ SELECT 2;", ['SELECT 1', 'SELECT 2']],
  ['comments in texts', "SELECT '--', '/*'; SELECT 2;", ["SELECT '--', '/*'", 'SELECT 2']],
  [
    'function bodies',
    `CREATE FUNCTION f() AS $$ SELECT ';'; -- '\n$$; DO $a$ x; $$ y; $a$;`,
    [`CREATE FUNCTION f() AS $$ SELECT ';'; -- '\n$$`, 'DO $a$ x; $$ y; $a$'],
  ],
  ['nothing', '-- nothing\n;\n', []],
  ['what never ends', "SELECT 'a; b", ["SELECT 'a; b"]],
])('statements end at semicolons: %s', (_what, sql, statements) => {
  expect(splitStatements(sql)).toEqual(statements);
});
