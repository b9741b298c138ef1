/** Items in lists of `size`, in their order; the last one may be shorter. None for no items, whatever the size. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = items.length === 0 ? 0 : Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** How many of the first items weigh at most `most` together; at least one, if there are any. */
export function countWithin<T>(items: readonly T[], max: number, weigh: (item: T) => number): number {
  let weight = 0;
  const over = items.findIndex((item) => {
    weight += weigh(item);
    return weight > max;
  });
  return over < 0 ? items.length : Math.max(1, over);
}
