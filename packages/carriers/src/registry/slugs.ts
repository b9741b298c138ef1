/** The carriers of a provider in both directions: our code, and its name for the carrier. */
export type Slugs = {
  /** Ours and theirs. */
  readonly table: Readonly<Record<string, string>>;
  /** Our carrier for one of its names; null if it is not ours. Case does not matter. */
  carrierOf(slug: string): string | null;
};

/**
 * @param rows our code and their name; if several of our carriers share a name, the first one counts.
 * @param aliases further names of theirs, which answers use, and our code.
 */
export function slugs(rows: Readonly<Record<string, string>>, aliases: Readonly<Record<string, string>> = {}): Slugs {
  const named = Object.entries(rows).filter(([, slug]) => slug !== '');
  const carriers = new Map([
    ...named.toReversed().map(([carrier, slug]) => [slug.toLowerCase(), carrier] as const),
    ...Object.entries(aliases).map(([slug, carrier]) => [slug.toLowerCase(), carrier] as const),
  ]);
  return { table: rows, carrierOf: (slug) => carriers.get(slug.toLowerCase()) ?? null };
}
