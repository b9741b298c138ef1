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
