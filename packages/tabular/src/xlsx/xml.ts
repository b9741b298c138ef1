import { StringDecoder } from 'node:string_decoder';
import sax from 'sax';
import { FileFault } from '../table.ts';

/** An element that begins: its name without a prefix, and its attributes. */
export type Begin = { name: string; attributes: Readonly<Record<string, string>> };
export type Handlers = {
  begin(element: Begin): void;
  end(name: string): void;
  /** Text, in pieces of bounded length. */
  text(text: string): void;
};

/**
 * Reads XML piece by piece. Entities other than XML's own are not expanded, and long texts come in parts.
 * @returns after each piece of input.
 */
export async function* readXml(bytes: AsyncIterable<Buffer>, handlers: Handlers): AsyncGenerator<void> {
  const parser = new sax.SAXParser(true, {});
  const decoder = new StringDecoder('utf8');
  parser.onopentag = ({ name, attributes }) =>
    handlers.begin({ name: localName(name), attributes: attributes as Record<string, string> });
  parser.onclosetag = (name) => handlers.end(localName(name));
  parser.ontext = handlers.text;
  parser.oncdata = handlers.text;
  parser.onerror = () => {
    throw new FileFault('The workbook is damaged: its XML cannot be read. Save it again, and upload it.');
  };
  for await (const piece of bytes) {
    parser.write(decoder.write(piece));
    yield;
  }
  parser.close();
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
