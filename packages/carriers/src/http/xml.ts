import { cleanText } from '@pts/core/tracking/outside-text';
import { XmlElement as ParsedElement, parseXml as parseDocument, XmlText } from '@rgrove/parse-xml';

/** The maximum nesting depth, as in JSON (`json.ts`); no provider uses half of it. */
const MAX_LEVELS = 32;

/** An element of an XML document. Names are without their namespace prefix. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own text, without the text of its children and without white space around it. */
  readonly text: string;
  readonly children: readonly XmlElement[];
};

/**
 * Parses an XML document and returns its root; null for anything else. Every text in it, including names, is cleaned
 * (`cleanText`), so later code can match and store it safely. Document types are not read: an entity that XML does
 * not define itself makes the document invalid, so none can expand. Elements nested deeper than 32 levels are left out.
 */
export function parseXml(text: string): XmlElement | null {
  try {
    // Some servers write empty lines before the declaration, where XML does not allow them.
    const { root } = parseDocument(text.trimStart());
    return root && elementOf(root, MAX_LEVELS);
  } catch {
    // Invalid, or nested too deep for the parser.
    return null;
  }
}

function elementOf(parsed: ParsedElement, levels: number): XmlElement {
  const children = parsed.children.filter((child): child is ParsedElement => child instanceof ParsedElement);
  const texts = parsed.children.filter((child): child is XmlText => child instanceof XmlText);
  const attributes = Object.entries(parsed.attributes).map(([name, value]) => [localName(name), cleanText(value)]);
  return {
    name: localName(parsed.name),
    attributes: Object.fromEntries(attributes),
    text: cleanText(texts.map(({ text }) => text).join('')).trim(),
    children: levels > 1 ? children.map((child) => elementOf(child, levels - 1)) : [],
  };
}

function localName(name: string): string {
  return cleanText(name.slice(name.indexOf(':') + 1));
}

/** The children with this name, in their order. */
export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** The first element at the end of a path of names; undefined if there is none. */
export function elementAt(element: XmlElement, ...path: readonly string[]): XmlElement | undefined {
  let found: XmlElement | undefined = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}

/** The text of the first element at the end of a path of names; '' if there is none. */
export function textAt(element: XmlElement, ...path: readonly string[]): string {
  return elementAt(element, ...path)?.text ?? '';
}

/** Every element with this name below `element`, at any depth, in document order: SOAP wraps answers in several. */
export function descendants(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...descendants(child, name)]);
}

const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A text, escaped for an XML document, between tags or in an attribute. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => SPECIAL[char] ?? char);
}
