import { type SnakeCase, toSnakeCase } from '@pts/core/snake-case';
import { type Column, column } from '../connection.ts';
import type { Tracking } from '../generated/client.ts';

/**
 * What a merchant may send with a number in addition to its carrier. A field is added here, in the Prisma schema and in the
 * contract; its column and its name on the wire are the same name in snake case.
 */
const INPUTS = {
  phone: column<Tracking['phone']>('t.phone'),
  postalCode: column<Tracking['postalCode']>('t.postal_code'),
  destinationCountry: column<Tracking['destinationCountry']>('t.destination_country'),
  orderId: column<Tracking['orderId']>('t.order_id'),
  title: column<Tracking['title']>('t.title'),
  metadata: column<Record<string, string> | null>('t.metadata'),
} as const;

/** The columns of the inputs of a table named `t`. */
export const INPUT_COLUMNS: typeof INPUTS = INPUTS;

type InputName = keyof typeof INPUTS;
type ValueOf<C> = C extends Column<infer T> ? NonNullable<T> : never;

/** The inputs of a registration; those that were not given are absent. */
export type TrackingInputs = { [K in InputName]?: ValueOf<(typeof INPUTS)[K]> };
/** The same under their names on the wire. */
export type WireInputs = { [K in InputName as SnakeCase<K>]?: ValueOf<(typeof INPUTS)[K]> };

/** A change of inputs: null clears one, those that are absent stay. */
export type InputChange = { [K in InputName]?: ValueOf<(typeof INPUTS)[K]> | null };
/** The same under their names on the wire. */
export type WireChange = { [K in InputName as SnakeCase<K>]?: ValueOf<(typeof INPUTS)[K]> | null | undefined };

export const INPUT_NAMES = Object.keys(INPUTS) as readonly InputName[];
/** Each with its name on the wire. */
const NAMES = INPUT_NAMES.map((name) => [name, toSnakeCase(name)] as const);

/** The inputs that were given, under our own names; a country in capitals. An empty text counts as not given. */
export function fromWire(given: WireInputs): TrackingInputs {
  return renamed(NAMES.map(([name, wire]) => [name, stored(name, given[wire])]));
}

/** The inputs that are changed, under our own names; a country in capitals. An empty text clears. */
export function changeFromWire(given: WireChange): InputChange {
  const entries = NAMES.map(([name, wire]) => [name, given[wire] === '' ? null : stored(name, given[wire])] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function stored<T>(name: InputName, value: T): T | string {
  return name === 'destinationCountry' && typeof value === 'string' ? value.toUpperCase() : value;
}

/** The inputs that a tracking has, under their names on the wire, which are those of their columns. */
export function toWire(inputs: { readonly [K in InputName]?: ValueOf<(typeof INPUTS)[K]> | null }): WireInputs {
  return renamed(NAMES.map(([name, wire]) => [wire, inputs[name]]));
}

function renamed(entries: (readonly [string, unknown])[]): Record<string, never> {
  return Object.fromEntries(entries.filter(([, value]) => value != null && value !== '')) as Record<string, never>;
}
