import { isUtf8 } from 'node:buffer';

/** The raw request line; never the headers, which contain the key. */
const REQUEST_LINE = /(?:^|\r\n)[A-Z]+ ([^\r\n]+) HTTP\/1\.[01]\r\n/;
const MAX_SHOWN = 2000;
/** What curl sends on a Chinese Windows: a superset of GBK and GB 2312. */
const CHINESE = 'gb18030';

/**
 * The message for a request line whose URL has characters that are not percent-encoded, with the URL to send
 * instead if it can be determined; null if the URL is not the problem.
 */
export function explainUnencodedAddress(packet: Buffer): string | null {
  const [, target] = REQUEST_LINE.exec(packet.toString('latin1')) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that must not be in an address
  if (target === undefined || !/[^\x00-\x7f]| /.test(target)) return null;
  const encoded = percentEncode(Buffer.from(target, 'latin1'));
  const instead = encoded === null ? '' : `: ${encoded}`;
  return `The URL contains characters that are not percent-encoded. Percent-encode their UTF-8 bytes${instead} (curl does it with -G --data-urlencode 'name=value').`;
}

function percentEncode(target: Buffer): string | null {
  const utf8 = isUtf8(target) ? target : fromChinese(target);
  if (utf8 === null) return null;
  const encoded = [...utf8]
    .map((byte) => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : hex(byte)))
    .join('');
  return encoded.length > MAX_SHOWN ? null : encoded;
}

function fromChinese(target: Buffer): Buffer | null {
  try {
    return Buffer.from(new TextDecoder(CHINESE, { fatal: true }).decode(target));
  } catch {
    return null;
  }
}

function hex(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
