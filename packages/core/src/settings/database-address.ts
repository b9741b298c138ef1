import { isWellEncoded } from './setting.ts';

/**
 * Where a PostgreSQL is, for operators: host, port and database, without the password.
 * @returns null if node-postgres cannot read the URL. Its host may be missing, or a parameter, such as the folder of a socket
 */
export function showDatabaseAddress(url: string): string | null {
  const complete = url.replace('@/', '@localhost/');
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(complete) || !isWellEncoded(url)) return null;
  const { hostname, port, pathname, searchParams } = new URL(complete);
  return `${searchParams.get('host') || hostname || 'localhost'}:${port || 5432}${pathname}`;
}
