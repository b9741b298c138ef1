import { askOrder, type Choice, chooseCarrier, MIN_CONFIDENCE } from '@pts/carriers/detection/choose-carrier';
import { type Candidate, detectWithReasons } from '@pts/carriers/detection/detect';
import type { Provider } from '@pts/carriers/provider';
import { providerFor } from '@pts/carriers/providers/configured';
import { type CarrierField, carrierNamed, carriers, findCarrier } from '@pts/carriers/registry/registry';
import { type Fault, refusal, ServiceError } from '@pts/core/errors';
import { nearest } from '@pts/core/sent-instead';
import { type CandidateCarrier, MAX_CANDIDATES } from '@pts/core/tracking/undecided';
import type { ServiceContext } from '../context.ts';

/** Checks that a `courier_code`, if it is a string, is a known carrier. */
export function courierFaults(
  { sandbox }: Pick<ServiceContext, 'sandbox'>,
  { courier_code: code }: Record<string, unknown>,
): Fault[] {
  const wanted = typeof code === 'string' ? courierWanted(code) : null;
  if (wanted === null || findCarrier(wanted, { sandbox })) return [];
  const message = codeInstead(wanted, { sandbox }) ?? UNKNOWN;
  return [{ field: 'courier_code', message, error: 'unknown_courier' }];
}

const UNKNOWN =
  'is not a known carrier; GET /api/v1/couriers/all lists them. Omit it, or send auto, to detect the carrier';

/** What to send instead of a carrier's name or a misspelled code; null for another text. */
export function codeInstead(text: string, options: Pick<ServiceContext, 'sandbox'>): string | null {
  const carrier = carrierNamed(text, options);
  if (carrier) return `must be a code, not a name: ${carrier.name} is ${carrier.code}`;
  const codes = carriers(options).map(({ code }) => code);
  const meant = nearest(text, codes);
  return meant === undefined
    ? null
    : `is not a known carrier; did you mean ${meant}? GET /api/v1/couriers/all lists the codes`;
}

/** The code that the merchant named; null for none and for `auto`. */
export function courierWanted(code: string | undefined): string | null {
  const wanted = code?.trim().toLowerCase() ?? '';
  return wanted === '' || wanted === 'auto' ? null : wanted;
}

/** The dependencies for choosing a carrier. */
export type ChoiceContext = Pick<ServiceContext, 'providers' | 'sandbox' | 'learned'>;

/** The result of detection for a number, among the carriers that the providers of this installation serve. */
export function chooseServedCarrier({ providers, sandbox, learned }: ChoiceContext, trackingNumber: string): Choice {
  return chooseCarrier(trackingNumber, {
    sandbox,
    serves: (carrier) => providers.some((provider) => provider.serves(carrier)),
    ...(learned && { finds: learned.findsFor(trackingNumber) }),
  });
}

/** Loads which carriers have known numbers like these, where none is named; accepts inputs of any form. */
export async function loadLearned(
  { learned }: Pick<ServiceContext, 'learned'>,
  inputs: readonly unknown[],
): Promise<void> {
  if (!learned) return;
  const numbers = inputs.flatMap((input) => {
    if (typeof input === 'string') return [input];
    const { tracking_number: number, courier_code: code } = (input ?? {}) as Record<string, unknown>;
    const isNamed = typeof code === 'string' && courierWanted(code) !== null;
    return typeof number === 'string' && !isNamed ? [number] : [];
  });
  if (numbers.length > 0) await learned.load(numbers);
}

/** The carrier of a registration. */
export type ChosenCarrier = {
  carrier: string;
  provider: Provider;
  detected: boolean;
  /** If it is only the likeliest: the carriers that are checked one after another. */
  candidates?: CandidateCarrier[];
};

/** A number to choose a carrier for, with the fields that some carriers require. */
export type Given = { [K in CarrierField]?: string | undefined } & { courier_code?: string | undefined };

/**
 * The carrier that a merchant names for a number, or that is detected, and the provider that serves it.
 * @throws ServiceError when the carrier is unknown, cannot be detected or has no provider.
 */
export function chooseCarrierFor(ctx: ChoiceContext, trackingNumber: string, given: Given): ChosenCarrier {
  const named = namedCarrier(ctx, given.courier_code);
  if (named === null) return detectedCarrier(ctx, trackingNumber, given);
  const provider = providerFor(named, ctx.providers);
  if (provider) return { carrier: named, provider, detected: false };
  throw new ServiceError('carrier_undetected', {
    text: `This installation has no provider for the carrier ${named}.`,
  });
}

/** The carrier that the merchant named; null for none and for `auto`. */
function namedCarrier(ctx: Pick<ServiceContext, 'sandbox'>, code: string | undefined): string | null {
  const wanted = courierWanted(code);
  if (wanted === null) return null;
  const carrier = findCarrier(wanted, { sandbox: ctx.sandbox });
  if (!carrier) throw refusal(courierFaults(ctx, { courier_code: wanted }));
  return carrier.code;
}

function detectedCarrier(ctx: ChoiceContext, trackingNumber: string, given: Given): ChosenCarrier {
  const { carrier, undecided } = chooseServedCarrier(ctx, trackingNumber);
  const provider = carrier === null ? undefined : providerFor(carrier, ctx.providers);
  if (carrier === null || !provider) throw undetected(ctx, trackingNumber);
  if (undecided.length === 0) return { carrier, provider, detected: true };
  return { carrier, provider, detected: true, candidates: inOrder(ctx, undecided, given) };
}

/** The candidates that are checked one after another, in this order. */
function inOrder({ providers }: ChoiceContext, candidates: readonly Candidate[], given: Given): CandidateCarrier[] {
  const askable = candidates.flatMap((candidate) => {
    const provider = providerFor(candidate.carrier, providers);
    if (!provider) return [];
    const lacksInput = lackingFields(provider, candidate.carrier, given).length > 0;
    return [{ ...candidate, provider: provider.name, cost: provider.cost ?? ('free' as const), lacksInput }];
  });
  return askOrder(askable, MAX_CANDIDATES).map(({ carrier, provider }) => ({ carrier, provider }));
}

/** The fields without which the provider gets no answer from a carrier. */
export function lackingFields(provider: Provider, carrier: string, given: Given): CarrierField[] {
  return (provider.requires?.(carrier) ?? []).filter((field) => (given[field] ?? '') === '');
}

function undetected(ctx: ChoiceContext, trackingNumber: string): ServiceError {
  const why = whyUndetected(ctx, trackingNumber);
  const message = `is required: ${why ?? 'no carrier could be detected'}; GET /api/v1/couriers/all lists the codes`;
  const fields = [{ field: 'courier_code', message }];
  if (why === null) return new ServiceError('carrier_undetected', { fields });
  return new ServiceError('carrier_undetected', {
    text: `No carrier could be chosen: ${why}. If another carrier has the parcel, name it in courier_code.`,
    fields,
  });
}

/** Null if no carrier has numbers like this one. */
function whyUndetected({ sandbox }: ChoiceContext, trackingNumber: string): string | null {
  const found = detectWithReasons(trackingNumber, { sandbox });
  const [best, ...others] = found.filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
  if (!best) return null;
  const [plausible] = [best, ...others].filter(({ reason }) => reason !== 'wrong_check_digit');
  if (!plausible)
    return `the number has the form of ${nameOf(best.carrier)}, but its check digit is wrong: correct the number, or name the carrier`;
  const names = others.map(({ carrier }) => nameOf(carrier)).slice(0, MAX_NAMED);
  const rest = names.length === 0 ? '' : `, and none of the other candidates: ${names.join(', ')}`;
  return `the number looks like one of ${nameOf(best.carrier)}, but no provider of this installation serves that carrier${rest}`;
}

/** Candidates that a refusal names. */
const MAX_NAMED = 5;

function nameOf(code: string): string {
  const name = findCarrier(code, { sandbox: true })?.name;
  return name === undefined ? code : `${name} (${code})`;
}
