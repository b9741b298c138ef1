import { GOING_BACK, type Meaning, meaningByRules, REFUSED, type TextRules } from './meaning.ts';

/** German texts of scans; the first rule that matches decides. */
const RULES: TextRules = [
  [
    /(?:zugestellt|ausgeliefert|ausgehändigt)[^.;]{0,20}\bAbsender|\bAbsender[^.;]{0,20}(?:zugestellt|ausgeliefert|ausgehändigt)/i,
    'returned',
  ],
  [/verweigert/i, REFUSED],
  [/\bRücksendung\b|zurück(?:gesandt|geschickt| an den Absender)|\ban den Absender\b/i, GOING_BACK],
  [/angekündigt|Auftragsdaten/i, 'info_received'],
  [
    /(?:Filiale|Packstation|Paketshop|Paketkasten|Postfach|Abholstelle)[^.;]{0,60}(?:abgeholt werden|abholbereit|Abholung|bereit|eingestellt|hinterlegt|liegt)|(?:Abholung|abholbereit|hinterlegt)[^.;]{0,60}(?:Filiale|Packstation|Paketshop)/i,
    'available_for_pickup',
  ],
  [
    /\bnicht\b[^.;]{0,40}(?:zugestellt|möglich|erfolgreich|angetroffen|ermittelt)|fehlgeschlagen|beschädigt|verzögert|unzustellbar|Adresse (?:fehlerhaft|unvollständig)/i,
    'exception',
  ],
  [/vorbereite|Vorbereitung|Verladung/i, 'in_transit'],
  [/Zustellfahrzeug|in Zustellung/i, 'out_for_delivery'],
  [/wird|voraussichtlich|zur Zustellung/i, 'in_transit'],
  [/zugestellt|ausgeliefert|ausgehändigt|vom Empfänger abgeholt/i, 'delivered'],
];

/** What a German text says about the parcel; undefined if nothing but that it moves. */
export function meaningOfGerman(text: string): Meaning | undefined {
  return meaningByRules(text, RULES);
}
