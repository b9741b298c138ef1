/** A text as one word of a POSIX shell, whatever is in it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export type Request = { url: string; headers: Readonly<Record<string, string>>; body: string };

/**
 * A command that sends a request again as it was: no globbing in the address, no file in place of a body that begins
 * with @, no byte of it changed.
 */
export function curlCommand({ url, headers, body }: Request): string {
  const fields = Object.entries(headers).map(([name, value]) => `--header ${shellQuote(`${name}: ${value}`)}`);
  return [`curl --include --globoff --path-as-is ${shellQuote(url)}`, ...fields, `--data-raw ${shellQuote(body)}`].join(
    ' \\\n  ',
  );
}
