/** Where a PostgreSQL is, for operators: host, port and database, without the password. @returns null if the text is no URL */
export function showDatabaseAddress(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
}
