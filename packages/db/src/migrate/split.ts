/** What a semicolon may stand in, and the semicolon itself. */
const OPENINGS = /--|\/\*|'|"|\$\w*\$|;/g;
const CLOSINGS: Readonly<Record<string, string>> = { '--': '\n', '/*': '*/' };

/**
 * The statements of a migration, without its comments. Texts with escaped quotes (`E'\''`), nested comments and
 * function bodies without dollar quotes (`BEGIN ATOMIC`) are not understood.
 */
export function splitStatements(sql: string): string[] {
  const statements = [''];
  let from = 0;
  const add = (text: string) => statements.push((statements.pop() ?? '') + text);
  OPENINGS.lastIndex = 0;
  for (let found = OPENINGS.exec(sql); found !== null; found = OPENINGS.exec(sql)) {
    const [token] = found;
    add(sql.slice(from, found.index));
    from = found.index + token.length;
    if (token === ';') {
      statements.push('');
      continue;
    }
    const closing = CLOSINGS[token] ?? token;
    const end = sql.indexOf(closing, from);
    from = end < 0 ? sql.length : end + closing.length;
    OPENINGS.lastIndex = from;
    add(token in CLOSINGS ? '\n' : sql.slice(found.index, from));
  }
  add(sql.slice(from));
  return statements.map((text) => text.trim()).filter((text) => text !== '');
}
