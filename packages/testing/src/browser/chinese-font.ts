import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { filesFromNpm } from './npm-files.ts';

const PACKAGE = { name: '@openfonts/noto-sans-sc_all', version: '1.44.1' };
const WEIGHTS = [400, 700];

/** Puts Noto Sans SC into `.cache/fonts`, where the Chromium of the tests looks: a bare machine has no Chinese font. */
export async function installChineseFont(): Promise<void> {
  await filesFromNpm('fonts', PACKAGE, (packageDir, into) => {
    for (const weight of WEIGHTS) {
      const woff = readFileSync(join(packageDir, `files/noto-sans-sc-all-${weight}.woff`));
      writeFileSync(join(into, `noto-sans-sc-${weight}.ttf`), sfntOf(woff));
    }
  });
}

/** The font in a WOFF 1.0 file, which Chromium does not take from the system: the same tables, uncompressed. */
function sfntOf(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, at) => tableAt(woff, 44 + 20 * at));
  const power = 2 ** Math.floor(Math.log2(count));
  const head = Buffer.alloc(12 + 16 * count);
  woff.copy(head, 0, 4, 8);
  head.writeUInt16BE(count, 4);
  head.writeUInt16BE(power * 16, 6);
  head.writeUInt16BE(Math.log2(power), 8);
  head.writeUInt16BE((count - power) * 16, 10);
  const parts = [head];
  let offset = head.length;
  for (const [n, { tag, checksum, data }] of tables.entries()) {
    const entry = 12 + 16 * n;
    tag.copy(head, entry);
    checksum.copy(head, entry + 4);
    head.writeUInt32BE(offset, entry + 8);
    head.writeUInt32BE(data.length, entry + 12);
    const padded = Buffer.concat([data, Buffer.alloc(-data.length & 3)]);
    parts.push(padded);
    offset += padded.length;
  }
  return Buffer.concat(parts);
}

function tableAt(woff: Buffer, entry: number) {
  const offset = woff.readUInt32BE(entry + 4);
  const packedLength = woff.readUInt32BE(entry + 8);
  const packed = woff.subarray(offset, offset + packedLength);
  return {
    tag: woff.subarray(entry, entry + 4),
    checksum: woff.subarray(entry + 16, entry + 20),
    data: packedLength < woff.readUInt32BE(entry + 12) ? inflateSync(packed) : packed,
  };
}
