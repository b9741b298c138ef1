import { replaceAfter } from './after.ts';
import { isLatinRole } from './latin-words.ts';
import { MASK } from './mark.ts';

/** Words after which the name of a signer or a neighbour follows. */
const SIGNED =
  /\b(?:sign(?:ed|ature)(?: for)?(?: by| of)?|signatory|signee|received by|accepted by|collected by|picked up by|taken in by|left with|handed to|delivered to|consignee|recipient|receiver|neighbou?r|contact(?: person)?|unterschrift|unterschrieben von|unterzeichnet von|empfangen von|angenommen von|abgeholt von|übergeben an|zugestellt an|nachbar[ni]{0,2}|empfänger|sign[ée] par|reçu par|remis à|r[ée]ceptionnaire|signataire|voisine?|firmado por|recibido por|entregado a|vecin[oa]|firmato da|ricevuto da|consegnato a|vicin[oa]|assinado por|recebido por|entregue a|vizinh[oa]|getekend door|ontvangen door|podpisane? przez|odebrane? przez)(?!\p{L})/giu;

/** Words after which the name of a courier follows. */
const COURIER =
  /\b(?:courier|driver|postman|rider|delivery (?:man|person|associate)|zusteller(?:in)?|fahrer(?:in)?|kurier|livreur|chauffeur|facteur|repartidor|mensajero|conductor|corriere|autista|postino|entregador|motorista|estafeta|bezorger)(?:(?: is| ist| est| es| è| é|,? named| name|name)(?!\p{L}))?(?!\p{L})/giu;
/** The courier of a parcel that is out: `Out for delivery from Hazelford with Mira Solano`. */
const OUT_WITH = /\b(?:out for delivery|on vehicle)\b[^.;:]{0,60}?\bwith\b/giu;

const HONORIFIC = /\b(?:herrn?|frau|mr|mrs|ms|mme|mlle|monsieur|madame|sra|srta|señora?|sig|signora?|dhr|mevr)\b\.?/giu;

/** One word of a name: `J`, `J.`, `SMITH`, `J.SMITH`, `O'Neil`, `Anne-Marie`. */
const WORD = /^\p{Lu}[\p{L}'’-]{0,30}(?:\.\p{L}[\p{L}'’-]{0,30}){0,3}\.?(?![\p{L}\p{N}])/u;
/** A letter that is a word as well counts only before a name: `A. SMITH`, not `A NEIGHBOUR`. */
const INITIAL = /^\p{Lu}\.?$/u;
/** Particles within names. */
const PARTICLE = /^(?:van|von|der|den|de|del|della|di|da|dos|la|le|bin|al)(?= )/i;
const FIRST_PARTICLES = /^(?:van|von|de|del|di|da|al) (?:(?:der|den|la|le) )?\p{Lu}/u;
const MAX_WORDS = 4;

/**
 * A text in Latin letters without the names of people. Phone numbers are masked before.
 * @param location the place of the scan, whose words are no names.
 */
export function maskLatinNames(text: string, location: string): string {
  if (!/\p{Script=Latin}/u.test(text)) return text;
  const isShouted = !/\p{Ll}/u.test(text);
  const places = wordsOf(location);
  /** In capitals throughout, a word after a label may be any word, unless a colon says that it is a name. */
  const labelled = (rest: string) => {
    const gap = /^\s{0,2}[:：,–-]?\s{0,2}/u.exec(rest)?.[0] ?? '';
    if (gap === '' || (isShouted && !/[:：]/.test(gap) && !isInitialAndName(rest.slice(gap.length)))) return null;
    const length = lengthOfName(rest.slice(gap.length), places);
    return length === 0 ? null : { at: gap.length, length };
  };
  const withoutOwners = text.replace(
    /((?:\p{Lu}[\p{L}'’-]{0,30} ){0,2}\p{Lu}[\p{L}'’-]{1,30})([,:]? ?\(?)•••/gu,
    (match, name: string, gap: string) => (isName(name, places) ? `${MASK}${gap}${MASK}` : match),
  );
  return [SIGNED, COURIER, OUT_WITH, HONORIFIC].reduce(
    (masked, label) => replaceAfter(masked, label, labelled, MASK),
    withoutOwners,
  );
}

function isInitialAndName(text: string): boolean {
  return /^\p{Lu}\.? \p{Lu}/u.test(text);
}

/** How many characters of a text are a name: its first words that begin with capitals and are no roles or places. */
function lengthOfName(text: string, places: ReadonlySet<string>): number {
  let length = 0;
  let at = 0;
  for (let words = 0; words < MAX_WORDS; words++) {
    const rest = text.slice(at);
    const particle = at > 0 || FIRST_PARTICLES.test(rest) ? PARTICLE.exec(rest)?.[0] : undefined;
    const word = particle ?? WORD.exec(rest)?.[0];
    if (word === undefined) break;
    if (particle === undefined && (isName(word, places) || !INITIAL.test(word))) {
      if (!isName(word, places)) break;
      length = at + word.replace(/\.$/, rest[word.length] === ' ' ? '.' : '').length;
    }
    at += word.length;
    if (text[at] !== ' ') break;
    at += 1;
  }
  return length;
}

function isName(words: string, places: ReadonlySet<string>): boolean {
  return words
    .split(' ')
    .map((word) => word.replace(/\.$/, ''))
    .every((word) => !isLatinRole(word) && !places.has(word.toLowerCase()));
}

function wordsOf(location: string): ReadonlySet<string> {
  return new Set(location.toLowerCase().split(/[^\p{L}'’-]{1,20}/u));
}
