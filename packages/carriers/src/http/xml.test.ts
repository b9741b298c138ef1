import { childrenOf, descendants, elementAt, escapeXml, parseXml, textAt } from './xml.ts';

test('elements, attributes and texts are read, without prefixes and white space', () => {
  const root = parseXml(`<?xml version="1.0" encoding="UTF-8"?>
    <!-- made by hand -->
    <soap:Body xmlns:soap="urn:x" soap:kind="answer">
      <event code="A1">  Arrived &amp; sorted <![CDATA[<in> Fennbrook]]> </event>
      <event code='B2'/>
    </soap:Body>`);
  if (root === null) throw new Error('it is XML');
  expect(root).toMatchObject({ name: 'Body', attributes: { kind: 'answer' }, text: '' });
  expect(childrenOf(root, 'event').map(({ attributes }) => attributes.code)).toEqual(['A1', 'B2']);
  expect(textAt(root, 'event')).toBe('Arrived & sorted <in> Fennbrook');
  expect(textAt(root, 'nothing', 'event')).toBe('');
  expect(elementAt(root, 'event')).toMatchObject({ attributes: { code: 'A1' } });
});

test('white space before the declaration is ignored', () => {
  expect(parseXml('\r\n\n<?xml version="1.0" encoding="UTF-8"?>\n<a>1</a>\n')).toMatchObject({ name: 'a', text: '1' });
});

test('elements are found at any depth, in their order', () => {
  const root = parseXml('<a><b><n>1</n></b><n>2<n>3</n></n></a>');
  expect(root && descendants(root, 'n').map(({ text }) => text)).toEqual(['1', '2', '3']);
});

test.each(['', 'no XML', '{"a":1}', '<a>', '<a></b>', '<a/><b/>', '<!doctype html><html><br></html>', '<a b=1/>'])(
  '%j is not a document',
  (text) => {
    expect(parseXml(text)).toBeNull();
  },
);

test('every text, attribute and name is sanitized and truncated', () => {
  const long = '柜'.repeat(300_000);
  const root = parseXml(`<${long} a="${long}">c\u202e&#x200b;<b>${long}</b></${long}>`);
  const short = '柜'.repeat(500);
  expect(root).toMatchObject({ name: short, attributes: { a: short }, text: 'c', children: [{ text: short }] });
});

test('entities that a document defines are not expanded', () => {
  const bomb = `<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;">]><a>&y;</a>`;
  expect(parseXml(bomb)).toBeNull();
  expect(parseXml('<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>')).toBeNull();
});

test('elements nested too deep are left out, however deep; the others are read', () => {
  const nested = (levels: number) => parseXml(`${'<a>'.repeat(levels)}x${'</a>'.repeat(levels)}`);
  expect(JSON.stringify(nested(32))).toContain('"x"');
  expect(JSON.stringify(nested(33))).not.toContain('"x"');
  expect(nested(33)).not.toBeNull();
  // If the parser fails on it, there is no document; it neither throws nor takes long.
  expect([null, 'a']).toContain(nested(140_000)?.name ?? null);
});

test('an escaped text is read back unchanged', () => {
  const text = `<a href="x">R&D 'n' more</a>`;
  expect(parseXml(`<t v="${escapeXml(text)}">${escapeXml(text)}</t>`)).toMatchObject({ text, attributes: { v: text } });
});
