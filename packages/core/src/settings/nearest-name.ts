/**
 * The known name that somebody probably meant: a slip of one or two characters, two of them swapped, or a name whose last
 * word is missing (`WEBHOOK_TIMEOUT` for `WEBHOOK_TIMEOUT_MS`).
 * @returns null if none is near. Short names have too many neighbours to be compared.
 */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length < 5 || name.length > MAX_LENGTH) return null;
  const allowed = name.length < 8 ? 1 : 2;
  const ranked = known
    .map((candidate) => ({ candidate, distance: distanceOf(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  if (ranked[0] !== undefined && ranked[0].distance <= allowed) return ranked[0].candidate;
  return name.includes('_') ? (known.find((candidate) => candidate.startsWith(`${name}_`)) ?? null) : null;
}

/** Names of the environment are anybody's; comparing takes time by the product of the lengths. */
const MAX_LENGTH = 64;

/** How many characters must be added, removed, replaced or swapped with their neighbour (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      next.push(
        Math.min(
          at(last, column) + 1,
          at(next, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY;
