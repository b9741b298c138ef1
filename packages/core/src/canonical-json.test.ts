import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';

test('the order of fields and the spacing make no difference; that of a list does', () => {
  const one = JSON.parse('{"b": {"d": [1, {"y": 2, "x": null}], "c": "é"}, "a": 1}');
  const other = JSON.parse('{"a":1,"b":{"c":"\\u00e9","d":[1,{"x":null,"y":2}]}}');
  expect(canonicalJson(one)).toBe(canonicalJson(other));
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

test('different values have different texts', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
