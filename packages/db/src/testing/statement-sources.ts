/** A statement in a source: the function or constant it is in, and its tables whose account it does not name. */
export type SourceStatement = { place: string; unbound: string[] };

/** A table whose name is a variable, of tables with accounts. */
const ANY_TABLE = 'any_table';

/** The hand-written statements, and parts of statements, that use some tables. */
export function statementsIn(source: string, tables: readonly string[]): SourceStatement[] {
  return templatesIn(source).map(({ text, at }) => ({
    place: placeOf(source, at),
    unbound: unboundIn(text, [...tables, ANY_TABLE]),
  }));
}

/** The calls of Prisma that read or change rows of some models. */
export function callsOn(source: string, models: readonly string[]): SourceStatement[] {
  const call = new RegExp(`\\.(${models.join('|')})\\.(find|update|delete|upsert|count|groupBy|aggregate)\\w*\\(`, 'g');
  return [...source.matchAll(call)].map(({ 0: found, 1: model = '', 2: verb, index }) => {
    const given = bracketed(source, index + found.length - 1);
    // An upsert inserts first, and the row that it inserts has the account.
    const named = verb === 'upsert' ? given : whereOf(given);
    const isBound = /\baccountId\b|\.\.\.run\b/.test(named) && !/\binclude:/.test(given);
    return { place: placeOf(source, index), unbound: isBound ? [] : [model] };
  });
}

function whereOf(given: string): string {
  const at = /\bwhere: \{/.exec(given);
  return at ? bracketed(given, at.index + at[0].length - 1) : '';
}

/** The function or constant, at the level of the module, that a position is in. */
function placeOf(source: string, at: number): string {
  const before = source.slice(0, at).matchAll(/^(?:export )?(?:(?:async )?function\*? |const )(\w+)/gm);
  return [...before].at(-1)?.[1] ?? '';
}

/** From a bracket to the one that closes it. */
function bracketed(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if ('([{'.includes(text.charAt(at))) depth += 1;
    if (')]}'.includes(text.charAt(at))) depth -= 1;
    if (depth === 0) return text.slice(from, at + 1);
  }
  return text.slice(from);
}

type Template = { text: string; at: number };

/** The template literals of a source, those in others too. An expression in one is a parameter, or a table. */
function templatesIn(source: string): Template[] {
  const found: Template[] = [];
  /** Reads code up to a closing brace. @returns the position behind it. */
  const code = (from: number): number => {
    let depth = 0;
    for (let at = from; at < source.length; at++) {
      const char = source.charAt(at);
      if (source.startsWith('//', at)) at = endOf(source, '\n', at);
      else if (source.startsWith('/*', at)) at = endOf(source, '*/', at) + 1;
      else if (char === "'" || char === '"') at = endOfString(source, at);
      else if (char === '`') at = template(at);
      else if (char === '{') depth += 1;
      else if (char === '}' && --depth < 0) return at;
    }
    return source.length;
  };
  /** @returns the position of its last character. */
  const template = (from: number): number => {
    let text = '';
    for (let at = from + 1; at < source.length; at++) {
      const char = source.charAt(at);
      if (char === '`') {
        found.push({ text, at: from });
        return at;
      }
      if (char === '\\') text += source.charAt(++at);
      else if (source.startsWith('${', at)) {
        const end = code(at + 2);
        text += /^table(?:Of\(\w+\))?$/.test(source.slice(at + 2, end)) ? `public.${ANY_TABLE}` : '$1';
        at = end;
      } else text += char;
    }
    return source.length;
  };
  code(0);
  return found;
}

function endOf(source: string, what: string, from: number): number {
  const at = source.indexOf(what, from);
  return at < 0 ? source.length : at;
}

function endOfString(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source.charAt(at) === '\\') at += 1;
    else if (source.charAt(at) === source.charAt(from)) return at;
  }
  return source.length;
}

const KEYWORDS = 'SET|WHERE|ON|USING|ORDER|GROUP|LIMIT|LEFT|RIGHT|CROSS|JOIN|UNION|FOR|SELECT|VALUES|DEFAULT|RETURNING';
const REFERENCE = new RegExp(
  `(FROM|JOIN|UPDATE|INTO|USING|,)\\s+public\\.(\\w+)(?:\\s+(?:AS\\s+)?(?!(?:${KEYWORDS})\\b)(\\w+))?`,
  'g',
);
const EQUATION = /([\w$."]+)\s*=\s*([\w$."]+)/g;
/** Whose account is its key. */
const ACCOUNTS = 'accounts';

/** A table in a query, by its alias; without one, by ''. */
type Reference = { word: string; table: string; alias: string; at: number };

/** The tables of a statement whose account no condition of the same query gives, or takes from elsewhere. */
function unboundIn(statement: string, tables: readonly string[]): string[] {
  return queriesOf(statement.replaceAll(/--[^\n]*/g, '')).flatMap((query) => {
    const used = referencesIn(query).filter(({ table }) => table === ACCOUNTS || tables.includes(table));
    const inserted = used.filter(({ word }) => word === 'INTO');
    const read = used.filter((reference) => !inserted.includes(reference));
    const bound = boundIn(query, read);
    const unbound = [
      ...inserted.filter(({ at }) => !hasAccount(query, at)),
      ...read.filter((each) => !bound.has(each)),
    ];
    return unbound.map(({ table }) => table).filter((table) => table !== ACCOUNTS);
  });
}

/** Not those of statements about tables as a whole, such as ANALYZE. */
function referencesIn(query: string): Reference[] {
  if (!/\b(?:FROM|JOIN|UPDATE|INTO|USING)\b/.test(query)) return [];
  return Array.from(query.matchAll(REFERENCE), ({ 1: word = '', 2: table = '', 3: alias = '', index }) => ({
    word,
    table,
    alias,
    at: index,
  }));
}

/** Whether the account is among the columns of an INSERT. */
function hasAccount(query: string, at: number): boolean {
  return /^INTO[^(]*\([^)]*\baccount_id\b/.test(query.slice(at));
}

/** Those whose account is equated with something else than an account of one of them, or with a bound one. */
function boundIn(query: string, read: readonly Reference[]): ReadonlySet<Reference> {
  const bound = new Set<Reference>();
  const pairs: [Reference, Reference][] = [];
  for (const [, left = '', right = ''] of query.matchAll(EQUATION)) {
    const [one, other] = [ownerOf(left, read), ownerOf(right, read)];
    if (one && other) pairs.push([one, other], [other, one]);
    else for (const owner of [one, other]) if (owner) bound.add(owner);
  }
  for (let before = -1; before < bound.size; ) {
    before = bound.size;
    for (const [one, other] of pairs) if (bound.has(one)) bound.add(other);
  }
  return bound;
}

/** The table whose account an operand is; undefined if it is something else. */
function ownerOf(operand: string, read: readonly Reference[]): Reference | undefined {
  const [column = '', alias] = operand.split('.').reverse();
  const owner = alias === undefined && read.length === 1 ? read[0] : read.find((each) => each.alias === (alias ?? ''));
  return column === (owner?.table === ACCOUNTS ? 'id' : 'account_id') ? owner : undefined;
}

/** The queries of a statement, each without those in its brackets, and each part of a UNION apart. */
function queriesOf(statement: string): string[] {
  const queries: string[] = [];
  const open = [''];
  const close = () => {
    const inner = open.pop() ?? '';
    const isQuery = open.length === 0 || /\b(?:SELECT|INSERT|UPDATE|DELETE)\b/.test(inner);
    if (isQuery) queries.push(...inner.split(/\bUNION\b/));
    if (open.length > 0) open.push(`${open.pop()}(${isQuery ? '' : inner})`);
  };
  for (const char of statement) {
    if (char === '(') open.push('');
    else if (char === ')' && open.length > 1) close();
    else open.push(`${open.pop()}${char}`);
  }
  while (open.length > 0) close();
  return queries;
}
