type Optional<S extends object = object> = { readonly optionalOf: S };
type Fields = Readonly<Record<string, object>>;

/** An object schema, as `object` makes it. */
type ObjectOf<F extends Fields> = {
  readonly type: 'object';
  readonly required: readonly { [K in keyof F]: F[K] extends Optional ? never : K }[keyof F][];
  readonly properties: { readonly [K in keyof F]: F[K] extends Optional<infer S> ? S : F[K] };
};

/** A field of `object` that may be absent. */
export function optional<const S extends object>(schema: S): Optional<S> {
  return { optionalOf: schema };
}

function isOptional(field: object): field is Optional {
  return 'optionalOf' in field;
}

/**
 * The schema of an object with these fields, which are required unless they are `optional`. Its `properties` are plain
 * schemas: in another object that takes them over, all are required.
 * @param keywords the schema's other keywords: title, description, limits.
 */
export function object<const F extends Fields, const K extends object = Record<never, never>>(
  fields: F,
  keywords: K = {} as K,
): ObjectOf<F> & Omit<K, 'type' | 'required' | 'properties'> {
  const named = Object.entries(fields);
  const required = named.flatMap(([name, field]) => (isOptional(field) ? [] : [name]));
  const schemas = named.map(([name, field]) => [name, isOptional(field) ? field.optionalOf : field]);
  const properties = Object.fromEntries(schemas);
  return { type: 'object', required, properties, ...keywords } as unknown as ReturnType<typeof object<F, K>>;
}

/**
 * The TypeScript type of a schema's valid values. Supports the part of JSON Schema that ours use: objects with required
 * and optional properties, maps, arrays, enums, constants, alternatives (`anyOf`, `oneOf`), and one type or several.
 */
export type Infer<S> = S extends { enum: readonly (infer E)[] }
  ? E
  : S extends { const: infer C }
    ? C
    : S extends { anyOf: readonly (infer A)[] }
      ? Infer<A>
      : S extends { oneOf: readonly (infer A)[] }
        ? Infer<A>
        : S extends { type: readonly (infer T)[] }
          ? InferAs<S, T>
          : InferOne<S>;

/** `type: ['object', 'null']`: the other keywords apply to the matching types. */
type InferAs<S, T> = T extends 'null' ? null : InferOne<Omit<S, 'type'> & { type: T }>;

type InferOne<S> = S extends { type: 'null' }
  ? null
  : S extends { type: 'string' }
    ? string
    : S extends { type: 'integer' | 'number' }
      ? number
      : S extends { type: 'boolean' }
        ? boolean
        : S extends { type: 'array'; items: infer I }
          ? Infer<I>[]
          : S extends { properties: infer P }
            ? InferObject<P, S extends { required: readonly (infer R)[] } ? R : never>
            : S extends { additionalProperties: infer V extends object }
              ? Record<string, Infer<V>>
              : // An empty schema allows everything.
                keyof S extends never
                ? unknown
                : object;

type InferObject<P, R> = { [K in keyof P as K extends R ? K : never]: Infer<P[K]> } & {
  [K in keyof P as K extends R ? never : K]?: Infer<P[K]>;
};
