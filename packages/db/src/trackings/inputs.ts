import { type SnakeCase, toSnakeCase } from '@pts/core/snake-case';
import { type Column, column } from '../connection.ts';
import type { Tracking } from '../generated/client.ts';

/**
 * Fields that a merchant may send with a number in addition to its carrier. A field is added here, in the Prisma schema
 * and in `TRACKING_FIELDS`; its column and its name on the wire are the same name in snake case.
 */
export const INPUT_COLUMNS = {
  phone: column<Tracking['phone']>('t.phone'),
  postalCode: column<Tracking['postalCode']>('t.postal_code'),
  destinationCountry: column<Tracking['destinationCountry']>('t.destination_country'),
  orderId: column<Tracking['orderId']>('t.order_id'),
  title: column<Tracking['title']>('t.title'),
  metadata: column<Record<string, string> | null>('t.metadata'),
} as const;

type InputName = keyof typeof INPUT_COLUMNS;
type ValueOf<C> = C extends Column<infer T> ? NonNullable<T> : never;

/** The inputs of a registration; those that were not given are absent. */
export type TrackingInputs = { [K in InputName]?: ValueOf<(typeof INPUT_COLUMNS)[K]> };
/** The inputs of a registration under their names on the wire. */
export type WireInputs = { [K in InputName as SnakeCase<K>]?: ValueOf<(typeof INPUT_COLUMNS)[K]> };

/** A change of inputs: null clears one, those that are absent stay. */
export type InputChange = { [K in InputName]?: ValueOf<(typeof INPUT_COLUMNS)[K]> | null };
/** A change of inputs under their names on the wire. */
type WireChange = { [K in InputName as SnakeCase<K>]?: ValueOf<(typeof INPUT_COLUMNS)[K]> | null | undefined };

export const INPUT_NAMES = Object.keys(INPUT_COLUMNS) as readonly InputName[];
/** Each with its name on the wire. */
const NAMES = INPUT_NAMES.map((name) => [name, toSnakeCase(name)] as const);

/** The inputs that were given, under our own names; a country in capitals. An empty text counts as not given. */
export function fromWire(given: WireInputs): TrackingInputs {
  const inputs: Record<string, unknown> = {};
  for (const [name, wire] of NAMES) if (isGiven(given[wire])) inputs[name] = stored(name, given[wire]);
  return inputs;
}

/** The inputs that are changed, under our own names; a country in capitals. An empty text clears. */
export function changeFromWire(given: WireChange): InputChange {
  const inputs: Record<string, unknown> = {};
  for (const [name, wire] of NAMES)
    if (given[wire] !== undefined) inputs[name] = given[wire] === '' ? null : stored(name, given[wire]);
  return inputs;
}

function stored<T>(name: InputName, value: T): T | string {
  return name === 'destinationCountry' && typeof value === 'string' ? value.toUpperCase() : value;
}

/** The inputs that a tracking has, under their names on the wire, which are those of their columns. */
export function toWire(inputs: { readonly [K in InputName]?: ValueOf<(typeof INPUT_COLUMNS)[K]> | null }): WireInputs {
  const given: Record<string, unknown> = {};
  for (const [name, wire] of NAMES) if (isGiven(inputs[name])) given[wire] = inputs[name];
  return given;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
