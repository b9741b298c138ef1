import type { Failure } from '@pts/core/tracking/answer';
import { returnIn } from '../../answer/heard.ts';
import { codeTable, GOING_BACK, type Meaning, meaningByRules, REFUSED, type TextRules } from '../../answer/meaning.ts';

const meaningOf = codeTable({
  DR1: 'info_received', // announced by the sender
  PC1: 'in_transit', // taken over
  PC2: 'in_transit', // taken over in the country of origin
  ET1: 'in_transit', // being processed
  ET2: 'in_transit', // in the country of origin
  ET3: 'in_transit', // in the country of destination
  ET4: 'in_transit', // in a country on the way
  EP1: 'in_transit', // waits for its presentation
  DO1: 'in_transit', // in customs
  DO2: 'in_transit', // out of customs
  DO3: 'exception', // held in customs
  PB1: 'exception', // trouble
  PB2: 'in_transit', // trouble solved
  MD2: 'in_transit', // in the site that delivers
  ND1: 'undeliverable',
  AN1: 'exception',
  AG1: 'available_for_pickup', // waits at the counter
  RE1: GOING_BACK,
  DI1: 'delivered',
  DI2: 'returned', // delivered to the sender
});

/** Codes whose label may say more: parcels that are prepared for delivery and those on the round share one. */
const COARSE: ReadonlySet<string> = new Set(['MD2', 'RE1', 'PC1', 'ET1']);

/** French labels, of coarse and of unknown codes. */
const RULES: TextRules = [
  [/refus[ée]/i, REFUSED],
  [
    /en cours de (?:livraison|distribution)|(?:est|a été) mis en (?:livraison|distribution)|parti en livraison|sera (?:livré|distribué) (?:aujourd|ce jour)/i,
    'out_for_delivery',
  ],
  [
    /(?:disponible|à retirer|peut être retiré|attend)[^.]{0,60}(?:point|bureau|relais|consigne|guichet)|à votre disposition/i,
    'available_for_pickup',
  ],
  [
    /n[’']a pas pu être (?:livré|distribué)|impossib|endommag|perdu|incident|retard|adresse (?:incomplète|erronée)/i,
    'exception',
  ],
  [/(?:est|a été) (?:livré|distribué)|remis (?:au|à son) destinataire/i, 'delivered'],
  [/bientôt nous être confié|en préparation chez/i, 'info_received'],
];

export function meaningOfEvent(code: string, label: string): Meaning | undefined {
  const known = meaningOf(code);
  if (known !== undefined && !COARSE.has(code)) return known;
  return returnIn(label) ?? meaningByRules(label, RULES) ?? known;
}

/** `returnCode` of one number, the HTTP status of the call, or the name of a refusal of the gateway. */
const OUTCOME_OF_CODE: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/^404$|not_?found/i, 'not_found'],
  [/^400$/, 'invalid_number'],
  [/^40[13]$|unauthori[sz]ed|forbidden/i, 'auth'],
  [/^429$|too_?many|quota|rate_?limit/i, 'rate_limited'],
];

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOME_OF_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? 'temporary';
}
