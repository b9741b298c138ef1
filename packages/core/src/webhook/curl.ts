/** Quotes any text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export type Request = { url: string; headers: Readonly<Record<string, string>>; body: string };

/**
 * A curl command that repeats a request exactly: no globbing in the URL, no file in place of a body that starts
 * with @, no byte changed.
 */
export function curlCommand({ url, headers, body }: Request): string {
  const fields = Object.entries(headers).map(([name, value]) => `--header ${shellQuote(`${name}: ${value}`)}`);
  return [`curl --include --globoff --path-as-is ${shellQuote(url)}`, ...fields, `--data-raw ${shellQuote(body)}`].join(
    ' \\\n  ',
  );
}
