import { freeText } from '../common.ts';

/** A phone number or its last four digits. Empty counts as left out. */
export const phone = {
  type: 'string',
  maxLength: 40,
  pattern: '^([+(]{0,2}[0-9]([ ().-]{0,3}[0-9]){3,14})?$',
  description:
    "The recipient's or sender's phone number, or its last four digits. Required for carriers that list `phone` in `tracking_required_fields` (`GET /couriers/all`).",
  examples: ['5678'],
} as const;

/** What a merchant may send with a number besides its carrier: all of it is returned, and can be changed. */
export const merchantFields = {
  phone,
  postal_code: {
    ...freeText(20),
    description: "The recipient's postal code, for carriers that require it.",
    examples: ['310000'],
  },
  destination_country: {
    type: 'string',
    pattern: '^([A-Za-z]{2})?$',
    description: 'The destination country: ISO 3166-1 alpha-2. Empty counts as left out.',
    examples: ['CN'],
  },
  order_id: { ...freeText(100), description: 'Your own order number.', examples: ['A-1001'] },
  title: { ...freeText(200), description: 'A display name for the parcel.', examples: ['Blue jacket, size M'] },
  metadata: {
    title: 'Metadata',
    type: 'object',
    maxProperties: 10,
    propertyNames: { maxLength: 40, pattern: '^[^\\u0000-\\u001f]+$' },
    additionalProperties: freeText(256),
    description: 'Up to ten key-value pairs of your own, returned unchanged.',
    examples: [{ shop: 'hangzhou' }],
  },
} as const;

/** The optional fields of a registration. */
export const registrationInputs = {
  courier_code: {
    ...freeText(40),
    description: 'The carrier. Omit it, or send `auto`, to detect the carrier.',
    examples: ['yto'],
  },
  ...merchantFields,
} as const;

type OrNull<S> = {
  readonly [K in keyof S]: S[K] extends { readonly type: infer T }
    ? Omit<S[K], 'type'> & { readonly type: readonly [T, 'null'] }
    : never;
};

/** The same fields, each of which may also be null. */
export function orNull<const S extends Readonly<Record<string, { readonly type: string }>>>(fields: S): OrNull<S> {
  const entries = Object.entries(fields).map(([name, field]) => [name, { ...field, type: [field.type, 'null'] }]);
  return Object.fromEntries(entries);
}
