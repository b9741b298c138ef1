import { FileFault, MAX_CELL } from '../table.ts';
import type { Archive } from './archive.ts';
import { readXml } from './xml.ts';

const MAX_MIB = 256;
/** Of the texts alone, in UTF-8. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Empty ones take place as well. As many are 25 different ones in each of 200,000 rows. */
const MAX_TEXTS = 5_000_000;
const BLOCK = 1024 * 1024;

/** The texts of a workbook, to which its cells refer by number. They are kept outside of the heap, as bytes. */
export type SharedStrings = { at(index: number): string };

export async function readSharedStrings(archive: Archive, file: string | undefined): Promise<SharedStrings> {
  const texts = createTexts();
  if (file === undefined) return texts;
  let text = '';
  let isText = false;
  const reading = readXml(archive.read(file, MAX_MIB), {
    begin({ name }) {
      if (name === 'si') text = '';
      else if (name === 't') isText = true;
    },
    end(name) {
      if (name === 'si') texts.add(text);
      else if (name === 't') isText = false;
    },
    text(part) {
      if (isText && text.length < MAX_CELL) text += part.slice(0, MAX_CELL - text.length);
    },
  });
  for await (const _ of reading);
  return texts;
}

function createTexts(): SharedStrings & { add(text: string): void } {
  let bytes = Buffer.allocUnsafe(BLOCK);
  let ends = new Uint32Array(1024);
  let count = 0;
  let length = 0;
  const tooMuch = (what: string) =>
    new FileFault(`The workbook has more than ${what}. Save the sheet as CSV UTF-8, and upload that.`);
  const grow = (needed: number) => {
    if (needed > MAX_BYTES) throw tooMuch('64 MiB of text');
    const larger = Buffer.allocUnsafe(Math.min(MAX_BYTES, Math.max(needed, 2 * bytes.length)));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  };
  return {
    add(text) {
      const size = Buffer.byteLength(text);
      if (length + size > bytes.length) grow(length + size);
      length += bytes.write(text, length);
      if (count === MAX_TEXTS) throw tooMuch(`${MAX_TEXTS.toLocaleString('en')} texts`);
      if (count === ends.length) {
        const larger = new Uint32Array(2 * ends.length);
        larger.set(ends);
        ends = larger;
      }
      ends[count++] = length;
    },
    at(index) {
      const end = index < count ? ends[index] : undefined;
      return end === undefined ? '' : bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], end);
    },
  };
}
