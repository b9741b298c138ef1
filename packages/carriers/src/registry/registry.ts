import { POST_ROWS } from './registry-posts.ts';
import { type CarrierType, ROWS, type Row } from './registry-rows.ts';

/** Fields that a carrier uses besides the number. Not required: checks also run without them. */
export type CarrierField = 'phone' | 'postal_code' | 'destination_country';

export type Carrier = {
  /** Stable lower-case code, as merchants send and read it. */
  code: string;
  name: string;
  nameZh: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  url: string;
  phone: string | null;
  type: CarrierType;
  requiredFields: readonly CarrierField[];
};

/** These answer only to someone who knows the last four digits of the sender's or receiver's phone. */
const WANTS_PHONE: ReadonlySet<string> = new Set(['sf-express', 'zto', 'sf-freight']);

const POSTS = POST_ROWS.map(
  ([country, code, name, nameZh, url]): Row => [code, name, nameZh, country, url, null, 'globalpost'],
);

const CARRIERS: readonly Carrier[] = [...ROWS, ...POSTS].map(([code, name, nameZh, country, url, phone, type]) => ({
  code,
  name,
  nameZh,
  country,
  url,
  phone,
  type,
  requiredFields: WANTS_PHONE.has(code) ? ['phone'] : [],
}));

/** The code of the carrier with scripted journeys, for demos and tests; it exists only where the sandbox is enabled. */
export const SANDBOX = 'sandbox';

const SANDBOX_CARRIER: Carrier = {
  code: SANDBOX,
  name: 'Sandbox Carrier',
  nameZh: '沙盒物流',
  // The user-assigned code of ISO 3166 for "unknown": the sandbox belongs to no country.
  country: 'ZZ',
  url: 'https://example.com/',
  phone: null,
  type: 'express',
  requiredFields: [],
};

const WITH_SANDBOX: readonly Carrier[] = [...CARRIERS, SANDBOX_CARRIER];
const BY_CODE = new Map(WITH_SANDBOX.map((carrier) => [carrier.code, carrier]));
const BY_NAME = new Map(
  WITH_SANDBOX.flatMap((carrier) =>
    [carrier.name, carrier.nameZh].map((name) => [name.toLowerCase(), carrier] as const),
  ),
);

/**
 * Endings of the Chinese names of express carriers. Shops use any of them, or none: 圆通, 圆通快递 and 圆通速递 are one.
 */
const KINDS = ['速递', '快递', '速运', '物流'];
const BY_SHORT_NAME = new Map(
  CARRIERS.flatMap((carrier) => {
    const kind = KINDS.find((each) => carrier.nameZh.endsWith(each));
    if (kind === undefined || carrier.type !== 'express') return [];
    const short = carrier.nameZh.slice(0, -kind.length);
    return ['', ...KINDS].map((each) => [short + each, carrier] as const);
  }),
);

/**
 * Every carrier we know, in the order a list should show them, most posts behind the others; the sandbox carrier last
 * and only when enabled.
 */
export function carriers(options: { sandbox: boolean }): readonly Carrier[] {
  return options.sandbox ? WITH_SANDBOX : CARRIERS;
}

/** The carrier with this code, or undefined. `sandbox` is unknown unless the sandbox is enabled. */
export function findCarrier(code: string, options: { sandbox: boolean }): Carrier | undefined {
  return code === SANDBOX && !options.sandbox ? undefined : BY_CODE.get(code);
}

/**
 * The carrier with this name, in English or Chinese, also in its usual shorter forms, whatever the case; `sandbox` as
 * in `findCarrier`.
 */
export function carrierNamed(name: string, options: { sandbox: boolean }): Carrier | undefined {
  const wanted = name.trim().toLowerCase();
  const found = BY_NAME.get(wanted) ?? BY_SHORT_NAME.get(wanted);
  return found && findCarrier(found.code, options);
}
