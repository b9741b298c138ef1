import { factsOf, returnIn } from '../answer/heard.ts';
import { GOING_BACK, type Meaning, meaningByRules, REFUSED, type TextRules } from './meaning.ts';

const DELIVERED = /zugestellt|ausgeliefert|ausgehändigt/i;
/** On its way to the place where it will wait. */
const WILL_WAIT = /\bwird\b[^.]{0,80}\b(?:gebracht|transportiert|vorbereitet|weitergeleitet)/i;
const POINT = /Filiale|Packstation|Paketshop|Paketkasten|Postfach|Abholstelle/i;

/** German texts of scans; the first rule that matches decides. */
const RULES: TextRules = [
  [/verweigert/i, REFUSED],
  [/Nachverpackung/i, 'exception'],
  [/Rücksendung|zurückgesandt|zurückgeschickt|an den Absender/i, GOING_BACK],
  [/angekündigt|Auftragsdaten|Sendungsdaten/i, 'info_received'],
  [
    [POINT, /abgeholt werden|abholbereit|Abholung|bereit|eingestellt|hinterlegt|liegt/i],
    'available_for_pickup',
    WILL_WAIT,
  ],
  // Not a parcel that its sender put there ("vom Absender in die …").
  [[/\bwurde in die (?:Filiale|Packstation)\b/i, /eingeliefert/i], 'available_for_pickup'],
  [[/nicht/i, /zugestellt|möglich|erfolgreich|angetroffen|ermittelt/i], 'exception'],
  [/fehlgeschlagen|beschädigt|verzögert|unzustellbar|Adresse (?:fehlerhaft|unvollständig)/i, 'exception'],
  [/vorbereite|Vorbereitung|Verladung/i, 'in_transit'],
  [/Zustellfahrzeug|in Zustellung/i, 'out_for_delivery'],
  [/wird|voraussichtlich|zur Zustellung/i, 'in_transit'],
  [DELIVERED, 'delivered'],
  [/vom Empfänger abgeholt/i, 'delivered'],
];

/** What a German text says about the parcel; undefined if it only says that it moves. */
export function meaningOfGerman(text: string): Meaning | undefined {
  return returnIn(text) ?? meaningByRules(factsOf(text), RULES);
}
