/** Items in lists of `size`, in their order; the last one may be shorter. None for no items, whatever the size. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = items.length === 0 ? 0 : Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
