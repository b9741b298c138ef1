/** The connection details of an attempt, for the delivery log. */
export type Trace = {
  /** The address of the connection; null if there was none. */
  address: string | null;
  /** The steps of opening the connection: null for steps that did not happen, and for all if a connection was reused. */
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the start of the attempt to the first byte of the answer. */
  firstByteMs: number | null;
  /** Whether an open connection was used. */
  reused: boolean;
  /** Status line and headers of the answer, at most 2 KiB, without control characters. */
  head: string | null;
};

export const HEAD_BYTES = 2048;

export const NO_TRACE: Trace = {
  address: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  reused: false,
  head: null,
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed here
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** The status line and headers of a response as text; `headers` alternates names and values, as received. */
export function headOf(status: number, statusText: string, headers: readonly Buffer[]): string {
  let text = clean(`HTTP/1.1 ${status} ${statusText}`.trimEnd());
  for (let i = 0; i + 1 < headers.length && text.length < HEAD_BYTES; i += 2)
    text += `\n${clean(`${headers[i]}: ${headers[i + 1]}`)}`;
  return cut(text, HEAD_BYTES);
}

function clean(line: string): string {
  return line.replace(CONTROL, '');
}

/** The first bytes of a text, at most this many; a character that would be cut in two is left out. */
function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
}
