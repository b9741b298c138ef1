import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyDatabase, MIGRATIONS, queryOnce, type TestDatabase, testDatabase } from '@pts/testing/database';
import { newAccount, newTrackings } from '@pts/testing/factories';
import { openDatabase } from './connection.ts';
import { BASELINE, NEWEST_MIGRATION } from './generated/newest-migration.ts';
import { migrate } from './migrate.ts';

let database: TestDatabase | undefined;
afterEach(() => database?.close());

const TYPES: Record<string, string> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Json: 'jsonb',
  Bytes: 'bytea',
  Float: 'double precision',
  SmallInt: 'smallint',
  Date: 'date',
  Uuid: 'uuid',
};

/** The columns of `prisma/schema.prisma`, as PostgreSQL shows them. Prisma does not say whether a list may be null. */
function columnsOfPrisma(): string[] {
  const schema = readFileSync(join(MIGRATIONS, '../schema.prisma'), 'utf8');
  const models = [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)];
  const names = models.map(([, model]) => model);
  return models.flatMap(([, , body = '']) => {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1];
    const fields = [...body.matchAll(/^ {2}(\w+)\s+(\w+)(\[\]|\?)?(.*)$/gm)].filter(
      ([, , type]) => !names.includes(type),
    );
    return fields.map(([, field, type = '', mark = '', rest = '']) => {
      const [, native = type, size = ''] = /@db\.(\w+)(\(\d+\))?/.exec(rest) ?? [];
      const base =
        native === 'Timestamptz'
          ? `timestamp${size} with time zone`
          : native === 'VarChar'
            ? `character varying${size}`
            : native === 'Char'
              ? `character${size}`
              : (TYPES[native] ?? native);
      const column = /(?<!@)@map\("(\w+)"\)/.exec(rest)?.[1] ?? field;
      return `${table}.${column} ${base}${mark || ' NOT NULL'}`.replace(/\?$/, '');
    });
  });
}

test('prisma/schema.prisma and the migrations have the same tables and columns', async () => {
  database = await testDatabase();
  const { rows } = await queryOnce<{ line: string }>(
    database.url,
    `SELECT format('%s.%s %s%s', c.relname, attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull AND attndims = 0 THEN ' NOT NULL' END) AS line
     FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> '_prisma_migrations'
       AND attnum > 0 AND NOT attisdropped`,
  );
  expect(rows.map(({ line }) => line).sort()).toEqual(columnsOfPrisma().sort());
});

test('a database at the baseline, in use, becomes that of this release', async () => {
  database = await emptyDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'pts-baseline-'));
  cpSync(join(MIGRATIONS, BASELINE), join(folder, BASELINE), { recursive: true });
  await migrate({ databaseUrl: database.url, migrationsDir: folder });
  rmSync(folder, { recursive: true });
  const db = openDatabase({ url: database.url, poolSize: 1 });
  const account = await newAccount(db, new Date());
  const [id = ''] = await newTrackings(db, account, ['BASELINE1'], new Date());
  const later = readdirSync(MIGRATIONS).filter((name) => /^\d/.test(name) && name > BASELINE);
  expect(await migrate({ databaseUrl: database.url, migrationsDir: MIGRATIONS })).toEqual({ applied: later.sort() });
  expect([BASELINE, ...later].at(-1)).toBe(NEWEST_MIGRATION);
  expect(await db.tracking.findUnique({ where: { id } })).toMatchObject({ accountId: account });
  await db.$disconnect();
});
