import { Readable } from 'node:stream';
import yauzl, { type Entry, RandomAccessReader, type ZipFile } from 'yauzl';
import { type ByteSource, FileFault } from '../table.ts';

const MIB = 1024 * 1024;
/** Files in a workbook; one of a merchant has about ten. */
const MAX_ENTRIES = 5000;

/** The files of a workbook, none of which is ever in memory as a whole. Spreadsheets ignore the case of their names. */
export type Archive = {
  has(name: string): boolean;
  /**
   * The bytes of a file as they are unpacked: no more than the archive states, which is checked first.
   * @throws FileFault if that is more than `maxMib`, or the file is missing or broken.
   */
  read(name: string, maxMib: number): AsyncIterable<Buffer>;
};

/** Opens a ZIP archive. @throws FileFault if it is none. */
export async function openArchive(source: ByteSource): Promise<Archive> {
  const reader = new SourceReader(source);
  try {
    // Nothing has to be closed: the reader opens nothing.
    const options = { lazyEntries: true, autoClose: false };
    return await readEntries(await yauzl.fromRandomAccessReaderPromise(reader, source.size, options), reader);
  } catch (error) {
    throw toFault(error, reader);
  }
}

async function readEntries(zip: ZipFile, reader: SourceReader): Promise<Archive> {
  if (zip.entryCount > MAX_ENTRIES) throw new FileFault(`The workbook consists of ${zip.entryCount} files. ${AS_CSV}`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  return {
    has: (name) => entries.has(name.toLowerCase()),
    async *read(name, maxMib) {
      const entry = entries.get(name.toLowerCase());
      if (!entry) throw new FileFault(NO_WORKBOOK);
      if (entry.isEncrypted())
        throw new FileFault('The workbook is protected with a password. Remove it, and upload the file again.');
      if (entry.uncompressedSize > maxMib * MIB)
        throw new FileFault(`The workbook unpacks to more than ${maxMib} MiB (${name}). ${AS_CSV}`);
      try {
        // It fails as soon as there is more than the archive states.
        for await (const piece of await zip.openReadStreamPromise(entry)) yield piece as Buffer;
      } catch (error) {
        throw toFault(error, reader);
      }
    },
  };
}

/** Reads ranges of a file that may be anywhere. */
class SourceReader extends RandomAccessReader {
  readonly #source: ByteSource;
  /** What the source failed with. */
  error: unknown = null;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#read(start, end), { objectMode: false });
  }

  async *#read(start: number, end: number): AsyncGenerator<Buffer> {
    try {
      yield* this.#source.read(start, end);
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}

const AS_CSV = 'Save the sheet as CSV UTF-8, and upload that.';
const NO_WORKBOOK = `The file is not an Excel workbook (.xlsx), or it is damaged. ${AS_CSV}`;

/** What the archive is refused for is its sender's fault; a failure of the source, such as a lost database, is not. */
function toFault(error: unknown, reader: SourceReader): unknown {
  if (reader.error !== null) return reader.error;
  return error instanceof FileFault ? error : new FileFault(NO_WORKBOOK);
}
