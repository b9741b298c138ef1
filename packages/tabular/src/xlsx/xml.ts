import { StringDecoder } from 'node:string_decoder';
import sax from 'sax';
import { FileFault } from '../table.ts';

/** An element that begins: its name without a prefix, and its attributes. */
export type Begin = { name: string; attributes: Readonly<Record<string, string>> };
export type Handlers = {
  begin(element: Begin): void;
  end(name: string): void;
  /** Text, in pieces of bounded length, without phonetic hints: how Japanese is read is no part of it. */
  text(text: string): void;
};

/** Elements within each other: the parser keeps those that are open. A workbook has about ten levels. */
const MAX_LEVELS = 64;
/**
 * Characters of the attributes of an element, all of which the parser keeps until it ends. Excel lists the places of a format in one,
 * thousands of them after many copies.
 */
const MAX_ATTRIBUTES = 64 * 1024;
const PHONETIC = 'rPh';

/**
 * Reads XML piece by piece. Entities other than XML's own are not expanded, and long texts come in parts.
 * @returns after each piece of input.
 * @throws FileFault for XML that is damaged, or that would take much memory.
 */
export async function* readXml(bytes: AsyncIterable<Buffer>, handlers: Handlers): AsyncGenerator<void> {
  const parser = new sax.SAXParser(true, {});
  const decoder = new StringDecoder('utf8');
  let levels = 0;
  let characters = 0;
  let phonetic = 0;
  parser.onopentagstart = () => {
    characters = 0;
  };
  parser.onattribute = ({ name, value }) => {
    characters += name.length + value.length;
    // The parser calls this method of the attributes for the next one.
    if (characters > MAX_ATTRIBUTES || name === 'hasOwnProperty') throw damaged();
  };
  parser.onopentag = ({ name, attributes }) => {
    levels += 1;
    if (levels > MAX_LEVELS) throw damaged();
    const local = localName(name);
    if (local === PHONETIC) phonetic += 1;
    handlers.begin({ name: local, attributes: attributes as Record<string, string> });
  };
  parser.onclosetag = (name) => {
    levels -= 1;
    const local = localName(name);
    if (local === PHONETIC) phonetic -= 1;
    handlers.end(local);
  };
  const takeText = (text: string) => {
    if (phonetic === 0) handlers.text(text);
  };
  parser.ontext = takeText;
  parser.oncdata = takeText;
  parser.onerror = () => {
    throw damaged();
  };
  for await (const piece of bytes) {
    parser.write(decoder.write(piece));
    yield;
  }
  parser.close();
}

function damaged(): FileFault {
  return new FileFault('The workbook is damaged: its XML cannot be read. Save it again, and upload it.');
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
