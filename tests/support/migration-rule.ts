/** A migration as the rule sees it. */
export type Migration = { name: string; sql: string };

/** What is wrong with a statement. */
type Fault = string;

const RULE =
  'while a release is rolled out, the processes of the previous one run on its schema: what is dropped is dropped one ' +
  'release later. If the previous release does not use it any more, say so on the line before the statement: ' +
  '`-- Unused since X.Y.Z.`';

const LOCK_RULE =
  'the writers of a table wait while a statement reads or writes all of it: build indexes with CREATE INDEX CONCURRENTLY ' +
  'in an online migration, add constraints as NOT VALID and validate them in a later file, and fill columns in a procedure';

/**
 * Objects that migrations since the release have created: the previous release does not use them. `unset`: columns that stay null
 * in the rows that it writes.
 */
type Fresh = { tables: Set<string>; functions: Set<string>; columns: Set<string>; unset: Set<string> };

/**
 * The statements in the migrations since a release that remove something the release uses.
 * @param before the migrations that the release came with.
 * @param released the versions there are. A statement marked as unused since one of them may contract.
 */
export function contractions(
  before: readonly Migration[],
  since: readonly Migration[],
  released: readonly string[],
): string[] {
  const unique = new Set(
    before.flatMap(({ sql }) => statementsOf(sql)).flatMap(({ text }) => uniqueIndexOf(text)?.name ?? []),
  );
  const fresh: Fresh = { tables: new Set(), functions: new Set(), columns: new Set(), unset: new Set() };
  return since.flatMap(({ name, sql }) => {
    const statements = statementsOf(sql);
    const partitioned = partitionedBy(statements);
    return statements.flatMap(({ text, unusedSince }) => {
      if (partitioned.has(text)) return [];
      const faults = faultsOf(text, fresh, unique);
      if (unusedSince !== null && released.includes(unusedSince)) return [];
      return faults.map((fault) => `${name}: ${fault}; ${RULE}`);
    });
  });
}

/**
 * Statements that put a partitioned table with the same columns in the place of a table, which becomes a partition of it: to those who
 * use the table, it is the same one. It does not count as created.
 */
function partitionedBy(statements: readonly Statement[]): Set<string> {
  const texts = statements.map(({ text }) => text);
  return new Set(
    texts.flatMap((text) => {
      const [, table, part] = at(`ALTER TABLE ${NAME} RENAME TO (\\w+)$`).exec(text) ?? [];
      const created = texts.find((each) =>
        at(`CREATE TABLE ${table} ?\\( ?LIKE ${part}\\b.*\\) PARTITION BY RANGE`).test(each),
      );
      const isAttached = texts.some((each) => at(`ALTER TABLE ${table} ATTACH PARTITION ${part} `).test(each));
      return table && part && created && isAttached ? [text, created] : [];
    }),
  );
}

/** The statements that hold up the writers of a table that another migration made, for longer the larger it is. */
export function longLocks(since: readonly Migration[]): string[] {
  return since.flatMap(({ name, sql }) => {
    const own = new Set<string | undefined>();
    return statementsOf(sql).flatMap(({ text }) => {
      own.add(createdTableOf(text));
      return longLocksOf(text, own).map((fault) => `${name}: ${fault}; ${LOCK_RULE}`);
    });
  });
}

type Statement = { text: string; unusedSince: string | null };

/** Comments, quoted texts, function bodies, and the end of a statement. */
const TOKENS =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)|(?<text>'(?:[^']|'')*')|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$|(?<end>;)/g;

/** The statements of a file, without comments and texts, one space between words, identifiers without quotes. */
export function statementsOf(sql: string): Statement[] {
  const statements: Statement[] = [];
  let [text, unusedSince, from] = ['', null as string | null, 0];
  const finish = () => {
    const plain = text.replaceAll('"', '').replace(/\s+/g, ' ').trim();
    if (plain) statements.push({ text: plain, unusedSince });
    [text, unusedSince] = ['', null];
  };
  for (const match of sql.matchAll(TOKENS)) {
    const { comment, end } = match.groups ?? {};
    text += sql.slice(from, match.index);
    from = match.index + match[0].length;
    if (end) finish();
    else if (comment) unusedSince = /unused since (\d+\.\d+\.\d+)/i.exec(comment)?.[1] ?? unusedSince;
    else text += "''";
  }
  text += sql.slice(from);
  finish();
  return statements;
}

const NAME = '(?:\\w+\\.)?(\\w+)';
const at = (pattern: string) => new RegExp(`^${pattern.replaceAll(' ', '\\s')}`, 'i');

function createdTableOf(text: string): string | undefined {
  return at(`CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?${NAME}`).exec(text)?.[1];
}

function faultsOf(text: string, fresh: Fresh, unique: ReadonlySet<string>): Fault[] {
  const created = createdTableOf(text);
  if (created) fresh.tables.add(created);
  const written = at(`CREATE FUNCTION ${NAME}`).exec(text)?.[1];
  if (written) fresh.functions.add(written);
  const dropped = at(
    `DROP (TABLE|TYPE|VIEW|MATERIALIZED VIEW|SEQUENCE|FUNCTION|SCHEMA|DOMAIN) (?:IF EXISTS )?${NAME}`,
  ).exec(text);
  if (dropped?.[2] && !fresh.tables.has(dropped[2]) && !fresh.functions.has(dropped[2]))
    return [`it drops the ${dropped[1]?.toLowerCase()} ${dropped[2]}`];
  const index = at(`DROP INDEX (?:CONCURRENTLY )?(?:IF EXISTS )?${NAME}`).exec(text)?.[1];
  if (index && unique.has(index)) return [`it drops the unique index ${index}, which ON CONFLICT may name`];
  const made = uniqueIndexOf(text);
  // Nulls are all different.
  const isApart = made?.columns.some((column) => fresh.unset.has(`${made.table}.${column}`)) ?? false;
  if (made && !fresh.tables.has(made.table) && !isApart)
    return [`it makes rows of ${made.table} unique (${made.name}), which may not be so`];
  const type = at(`ALTER TYPE ${NAME} (RENAME|DROP)`).exec(text);
  if (type) return [`it changes the type ${type[1]}`];
  const { table, actions } = alterationOf(text);
  return actions.flatMap((action) => faultOfAction(action, table, fresh) ?? []);
}

const LONG_ACTIONS: readonly [pattern: string, fault: string][] = [
  ['ADD (?:CONSTRAINT \\w+ )?(?:CHECK|FOREIGN)(?!.*NOT VALID)', 'checks all rows'],
  ['ADD (?:CONSTRAINT \\w+ )?(?:UNIQUE|PRIMARY KEY|EXCLUDE)(?! USING INDEX)', 'builds an index'],
  ['ADD .*\\b(?:REFERENCES|CHECK)\\b(?!.*NOT VALID)', 'checks all rows'],
  ['ADD .*(?:DEFAULT \\(?(?!now\\()[\\w.]+\\(|\\bGENERATED\\b|SERIAL\\b)', 'writes all rows'],
  ['ALTER (?:COLUMN )?\\w+ SET NOT NULL', 'checks all rows'],
  ['ALTER (?:COLUMN )?\\w+ (?:SET DATA )?TYPE', 'writes all rows'],
  ['SET (?:LOGGED|UNLOGGED|TABLESPACE|ACCESS METHOD)', 'writes all rows'],
];

function longLocksOf(text: string, own: ReadonlySet<string | undefined>): Fault[] {
  const indexed = at(
    `CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY )(?:IF NOT EXISTS )?(?:\\w+ )?ON (?:ONLY )?${NAME}`,
  ).exec(text);
  if (indexed && !own.has(indexed[1])) return [`it builds an index on ${indexed[1]}`];
  const changed = at(`(?:UPDATE|DELETE FROM) (?:ONLY )?${NAME}`).exec(text)?.[1];
  if (changed && !own.has(changed)) return [`it changes rows of ${changed} in one transaction`];
  const rewritten = at('(REINDEX|CLUSTER|VACUUM FULL|VACUUM \\([^)]*FULL)(?!.*CONCURRENTLY)').exec(text)?.[1];
  if (rewritten) return [`it says ${rewritten}`];
  const { table, actions } = alterationOf(text);
  if (own.has(table)) return [];
  const faultOf = (action: string) => LONG_ACTIONS.find(([pattern]) => at(pattern).test(action))?.[1];
  return actions.flatMap((action) => faultOf(action) ?? []).map((fault) => `it ${fault} of ${table}`);
}

/** The table of an ALTER TABLE, and what is done to it; no actions for any other statement. */
function alterationOf(text: string): { table: string; actions: string[] } {
  const [head, table] = at(`ALTER TABLE (?:IF EXISTS )?(?:ONLY )?${NAME} `).exec(text) ?? [];
  return head && table ? { table, actions: actionsOf(text.slice(head.length)) } : { table: '', actions: [] };
}

function uniqueIndexOf(text: string): { name: string; table: string; columns: string[] } | null {
  const [, name, table, columns = '', rest = ''] =
    at(
      `CREATE UNIQUE INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?${NAME} ON (?:ONLY )?${NAME}(?: ?\\(([^()]*)\\))?(.*)`,
    ).exec(text) ?? [];
  if (!name || !table) return null;
  const areNullsEqual = /NULLS NOT DISTINCT/i.test(rest);
  return { name, table, columns: areNullsEqual ? [] : columns.split(',').map((column) => column.trim()) };
}

/** The actions of an ALTER TABLE: commas inside of brackets do not part them. */
function actionsOf(text: string): string[] {
  let depth = 0;
  const parts = [''];
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

function faultOfAction(action: string, table: string, fresh: Fresh): Fault | null {
  if (fresh.tables.has(table)) return null;
  const added = at('ADD (?:COLUMN )?(?:IF NOT EXISTS )?(?!CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)(\\w+)').exec(
    action,
  )?.[1];
  if (added) {
    fresh.columns.add(`${table}.${added}`);
    if (!/\b(DEFAULT|GENERATED|(SMALL|BIG)?SERIAL|NOT NULL)\b/i.test(action)) fresh.unset.add(`${table}.${added}`);
    const isDemanded = /\bNOT NULL\b/i.test(action) && !/\b(DEFAULT|GENERATED|(SMALL|BIG)?SERIAL)\b/i.test(action);
    return isDemanded ? `it adds ${table}.${added} as NOT NULL without a default` : null;
  }
  const [, column, change] =
    at('ALTER (?:COLUMN )?(\\w+) (TYPE|SET DATA TYPE|SET NOT NULL|DROP DEFAULT)').exec(action) ?? [];
  if (column && change && !fresh.columns.has(`${table}.${column}`))
    return `it says ${change.toUpperCase()} of ${table}.${column}`;
  const renamed = at('RENAME (?:COLUMN |TO |CONSTRAINT )?(\\w+)').exec(action)?.[1];
  if (renamed) return `it renames ${table} or a part of it (${renamed})`;
  if (at('ADD (?:CONSTRAINT \\w+ )?(UNIQUE|PRIMARY KEY|EXCLUDE)(?! USING INDEX)').test(action))
    return `it makes rows of ${table} unique`;
  const constraint = at('DROP CONSTRAINT (?:IF EXISTS )?(\\w+_p?key)').exec(action)?.[1];
  if (constraint) return `it drops the key ${constraint}, which ON CONFLICT may name`;
  const dropped = at('DROP (?:COLUMN )?(?:IF EXISTS )?(?!CONSTRAINT)(\\w+)').exec(action)?.[1];
  return dropped && !fresh.columns.has(`${table}.${dropped}`) ? `it drops ${table}.${dropped}` : null;
}
