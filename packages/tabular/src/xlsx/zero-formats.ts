import type { Archive } from './archive.ts';
import { readXml } from './xml.ts';

const MAX_MIB = 16;

/** How many digits a cell shows at least, by the number of its style; 0 for most. */
export type ZeroFormats = { digits(style: number): number };

/** A number with the format 00000000 is shown with leading zeros, which the stored number does not have. */
export async function readZeroFormats(archive: Archive, file: string | undefined): Promise<ZeroFormats> {
  const digitsOfFormat = new Map<string, number>();
  const digitsOfStyle: number[] = [];
  let isInStyles = false;
  if (file !== undefined) {
    const reading = readXml(archive.read(file, MAX_MIB), {
      begin({ name, attributes }) {
        if (name === 'numFmt' && /^0{2,50}$/.test(attributes.formatCode ?? ''))
          digitsOfFormat.set(attributes.numFmtId ?? '', (attributes.formatCode ?? '').length);
        else if (name === 'cellXfs') isInStyles = true;
        else if (name === 'xf' && isInStyles) digitsOfStyle.push(digitsOfFormat.get(attributes.numFmtId ?? '') ?? 0);
      },
      end(name) {
        if (name === 'cellXfs') isInStyles = false;
      },
      text() {},
    });
    for await (const _ of reading);
  }
  return { digits: (style) => digitsOfStyle[style] ?? 0 };
}
