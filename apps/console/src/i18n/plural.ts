const whole = new Intl.NumberFormat('en');

/** `1 parcel`, `4,312 parcels`. */
export function plural(count: number, one: string, many: string): string {
  return `${whole.format(count)} ${count === 1 ? one : many}`;
}
