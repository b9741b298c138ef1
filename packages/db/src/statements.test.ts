import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const schema = readFileSync(join(here, '../../../prisma/schema.prisma'), 'utf8');
const tables = [...schema.matchAll(/@@map\("(\w+)"\)/g)].flatMap(([, name]) => name ?? []);
const sources = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !/^(?:generated|testing)\b/.test(name))
  .map((name) => [name, readFileSync(join(here, name), 'utf8')] as const);
const offences = (pattern: RegExp) =>
  sources.flatMap(([name, text]) => Array.from(text.matchAll(pattern), ([found]) => `${name}: ${found}`));

test('every statement names its tables with their schema: behind PgBouncer any client may have set the search path', () => {
  expect(tables).toContain('checks');
  const words = '(?:FROM|JOIN|UPDATE|INTO|TABLE|ONLY)';
  expect(offences(new RegExp(`\\b${words}\\s+(?:${tables.join('|')})\\b[^\\n]*`, 'g'))).toEqual([]);
  // The second and further tables of a FROM.
  expect(
    offences(new RegExp(`\\bFROM [\\w."]+(?: \\w+)?(?:, [\\w."]+(?: \\w+)?)*?, (?:${tables.join('|')})\\b`, 'g')),
  ).toEqual([]);
  expect(offences(new RegExp(`\\bpublic\\.(?:${tables.join('|')})\\b`, 'g')).length).toBeGreaterThan(50);
});

test('the result of a statement is declared once, by its columns: its type and its select list cannot differ', () => {
  const typedByHand = offences(/\$queryRaw(?:Unsafe)?</g).filter((offence) => !offence.startsWith('connection.ts:'));
  expect(typedByHand).toEqual([]);
  // The rest locks a row, or checks that the database responds.
  expect(offences(/\$queryRaw`(?!SELECT 1)[^\n]*/g)).toEqual([]);
});

test('no statement needs its session: nothing is set beyond a transaction, listened for or locked for a session', () => {
  const allowed = (offence: string) => offence.startsWith('migrate.ts:');
  const session =
    /`\s*(?:SET (?!LOCAL)|RESET|LISTEN|PREPARE|DISCARD|DECLARE|CREATE TEMP)\w*|\bpg_(?:try_)?advisory_lock\b/g;
  expect(offences(session).filter((offence) => !allowed(offence))).toEqual([]);
});
