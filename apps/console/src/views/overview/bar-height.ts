/** In units of a drawing: a bar with the gap after it, and the highest bar. */
export const STEP = 10;
export const HEIGHT = 48;

/** The height of a bar. What is not zero can be seen. */
export function heightOf(value: number, highest: number): number {
  return value === 0 ? 1 : Math.max(3, (value / highest) * HEIGHT);
}
