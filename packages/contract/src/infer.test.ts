import type { Infer } from './infer.ts';

/** Does not compile unless the two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
const same = <A, B>(_is: Same<A, B>) => {};

/** The type with the properties of its parts in one. */
type Flat<T> = { [K in keyof T]: T[K] };

test('a schema has the type of its valid values', () => {
  const text = { type: 'string' } as const;
  const nullableMap = { type: ['object', 'null'], additionalProperties: text } as const;
  same<Infer<typeof nullableMap>, Record<string, string> | null>(true);

  const nullableList = { type: ['array', 'null'], items: { type: 'integer' } } as const;
  same<Infer<typeof nullableList>, number[] | null>(true);

  const object = { type: 'object', required: ['a'], properties: { a: text, b: { type: 'boolean' } } } as const;
  same<Flat<Infer<typeof object>>, { readonly a: string; readonly b?: boolean }>(true);

  const alternatives = { oneOf: [{ type: 'string', enum: ['yes', 'no'] }, { type: 'null' }] } as const;
  same<Infer<typeof alternatives>, 'yes' | 'no' | null>(true);

  const anything = {} as const;
  same<Infer<typeof anything>, unknown>(true);
  const anyObject = { type: 'object' } as const;
  same<Infer<typeof anyObject>, object>(true);

  // @ts-expect-error: a nullable string is not a string
  same<Infer<{ type: readonly ['string', 'null'] }>, string>(true);
});
