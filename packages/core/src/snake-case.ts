/** The name of a field on the wire: `postalCode` is `postal_code`. */
export type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : S;

/** @returns the name of a field on the wire. */
export function toSnakeCase<S extends string>(name: S): SnakeCase<S> {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<S>;
}
