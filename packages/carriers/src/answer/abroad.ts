import { GOING_BACK, type TextRules } from './meaning.ts';

/** Returns in Spanish, Italian, Portuguese, Dutch, Polish, Japanese and Korean, as `RETURNS` has them in other languages. */
export const RETURNS_ABROAD: TextRules = [
  [
    /\bentregad[oa] a(?:l| su)? remitente|\bconsegnat[oa] al mittente|\bconsegna al mittente (?:effettuata|avvenuta)|\bentregue ao remetente/i,
    'returned',
  ],
  [
    /\b(?:terug)?(?:bezorgd|afgeleverd) (?:bij|aan) (?:de )?afzender|\bretour (?:naar )?(?:de )?afzender (?:is )?(?:bezorgd|afgeleverd)|\b(?:doręczon|dostarczon|wydan)[aeoy] (?:do )?nadawcy|\bzwrot (?:został )?(?:doręczon|dostarczon)y/i,
    'returned',
  ],
  [
    /(?:差出人|ご依頼主|発送人)[^。、]{0,6}(?:お届け済|配達完了|返還済|返却済)|返送(?:完了|済)|반송 ?(?:배달 ?)?완료|(?:발송인|보낸 ?분|보내는 ?분)[^.,]{0,6}(?:배달|배송) ?완료/,
    'returned',
  ],
  [
    /(?<!será |serán |ser )\b(?:devuelt[oa]|devolución|devuelve|retorno) a(?:l| su)? remitente|\ben (?:curso de )?devolución|\b(?:in|di) (?:restituzione|reso|rientro|ritorno) al mittente|(?<!sarà |verrà |essere )\b(?:restituit[oa]|res[oa]|rispedit[oa]) al mittente/i,
    GOING_BACK,
  ],
  [
    /(?<!será |serão |ser )\b(?:devolvid[oa]|devolução|retorno) ao remetente|\bem devolução|(?<!zostanie )\b(?:zwróco|odesła)n[aeoy] do nadawcy|(?<!zostanie )\bzwrot do nadawcy|\bw (?:drodze|zwrocie) do nadawcy/i,
    GOING_BACK,
  ],
  [/\b(?:retour|terug|geretourneerd|teruggestuurd)(?: (?:naar|aan))? (?:de )?afzender/i, GOING_BACK],
  [/返送(?!さ|し|す|い|と|料|先)|반송(?! ?(?:될|되|불가|요청|취소))/, GOING_BACK],
];

/** The same form for a parcel that was sent back and one that is back, in any of the languages: the code decides. */
export const RETURNED_OR_RETURNING =
  /\breturn to (?:the |its )?(?:original )?(?:sender|shipper|consignor|seller|merchant)$|\bzurückge(?:geben|sandt|sendet|schickt|bracht|führt)\b|\bretournée? (?:à|chez)|\bdevuelt[oa] a(?:l| su)? remitente|\b(?:restituit|res)[oa] al mittente|\bdevolvid[oa] ao remetente|\bzwrócon[aeoy] do nadawcy|\b(?:geretourneerd|teruggestuurd)(?: (?:naar|aan))? (?:de )?afzender|返送|반송/i;

/** The same words in the present: on its way, whatever the code says. */
export const STILL_RETURNING =
  /\b(?:wird|werden|wordt|siendo|sendo)\b[^.,;]{0,80}(?:zurück|terug|geretourneerd|devuelt|devolvid)|\bin reso\b|返送中|반송 ?중/i;

/** Delivered to a shop or locker of the carrier, as `TO_POINT`; boxes at the recipient's own door, as in Japan, are none. */
export const TO_POINT_ABROAD =
  /\bentregad[oa] (?:en|a) (?:el |un |su )?(?:punto (?:de recogida|de entrega|pick-?up)|parcel ?shop|locker|taquilla|citypaq)\b|\bconsegnat[oa] (?:al|a un|presso(?: il| un)?|in(?: un)?) (?:punto (?:di ritiro|pick-?up)|pudo|locker|parcel ?shop)\b|\bentregue (?:no|em|num|ao) (?:ponto (?:de (?:recolha|levantamento|retirada)|pick-?up)|cacifo|locker|parcel ?shop)\b|\b(?:bezorgd|afgeleverd) (?:bij|in|op) (?:een |het |de |uw )?(?:(?:postnl|dhl|dpd|gls)[- ](?:punt|locatie|service ?point)|afhaalpunt|pakketpunt|pakketautomaat|service ?punt|parcel ?shop)\b|\b(?:dostarczon|doręczon|umieszczon)[aeoy] (?:do|w) (?:punk(?:tu|cie) odbioru|paczkoma(?:tu|cie)|automa(?:tu|cie) paczkow)|(?:コンビニ|PUDO)[^。、]{0,12}(?:お届け|配達|納品)|편의점[^.,]{0,12}(?:배달|배송|도착)/i;
/** The recipient has it, as `HAS_COLLECTED`. */
export const HAS_COLLECTED_ABROAD =
  /(?<!\b(?:ser|essere|worden) )\b(?:recogido|ritirat[oa]|retirado|levantad[oa]|opgehaald|afgehaald|odebran[aeoy])\b(?! te worden)|\b(?:al|ao|a su) (?:destinatari[oa]|cliente)\b|\baan (?:de )?(?:ontvanger|geadresseerde)\b|\b(?:odbiorcy|adresatowi)\b|受取済|수령 ?완료/i;

/** A recipient who does not want it. */
export const REFUSAL_ABROAD =
  /\b(?:rehusad|rechazad)[oa] por (?:el )?(?:destinatario|cliente)|\b(?:rifiutat|respint)[oa] dal destinatario|\brecusad[oa] pelo (?:destinatário|cliente)|\bodmowa przyjęcia|\bodmówiła? przyjęcia|\bgeweigerd door (?:de )?(?:ontvanger|geadresseerde)|受取(?:拒否|拒絶|辞退)|수취 ?(?:거절|거부)/i;
