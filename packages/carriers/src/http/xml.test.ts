import { childrenOf, elementAt, parseXml, textAt } from './xml.ts';

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

test.each(['', 'no XML', '{"a":1}', '<a>', '<a></b>', '<a/><b/>', '<!doctype html><html><br></html>', '<a b=1/>'])(
  '%j is not a document',
  (text) => {
    expect(parseXml(text)).toBeNull();
  },
);

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
