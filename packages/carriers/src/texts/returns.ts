import { factsOf } from './facts.ts';
import { type Entry, type Meaning, meaningByTable } from './meaning.ts';

/**
 * Where a parcel is that returns: with its sender, or on its way there. Only clear wordings, because they outrank
 * codes. They are in one table for all languages, as most are also used in English answers.
 */
// biome-ignore format: one entry per line is readable as a table
export const RETURNS: readonly Entry[] = [
  ['info_received', /\breturn(?:s|ed|ing)? (?:shipping )?label|\bR(?:etouren?|ücksende)-?(?:label|schein|etikett)/i, 'Return label emailed to the customer'],
  ['returned', /(?<!\b(?:be|being|is|are|not|for|to|ready|out) )\b(?:delivered|returned|handed (?:over|back)|given back|brought back),? (?:successfully )?(?:back )?to (?:the |its |your )?(?:original )?(?:sender|shipper|consignor|seller|merchant|retailer|vendor)\b|\bback (?:at|with) (?:the |its )?(?:original )?(?:sender|shipper|consignor|seller|merchant)\b|(?<!\b(?:be|being|is|are) )\breturned to (?:the )?customer['’]s address\b/i, 'Delivered, To Original Sender'],
  ['returned', /(?<!\b(?:be|being) )\b(?:sent|shipped|brought|taken|forwarded)(?: back)? to (?:the |its |your )?(?:original )?(?:sender|shipper|consignor|seller|merchant) and (?:has been |was |is )?(?:successfully )?delivered\b/i, 'Sent back to the shipper and delivered'],
  ['returned', /\breturn(?:ed)?(?: to (?:the )?(?:original )?(?:sender|shipper|consignor|seller|merchant))?(?: (?:shipment|parcel|package|item|delivery|process))? (?:has been |was |is )?(?:successfully )?(?:delivered|complete|completed|finished)\b|\bRTO\b[^.]{0,20}\bdelivered\b/i, 'Return process completed'],
  ['returned', /\bsigned (?:for )?by:? (?:the )?(?:original )?(?:sender|shipper|consignor)\b|\b(?:collected|picked up|received|accepted) by (?:the )?original (?:sender|shipper)\b|\b(?:sender|shipper|seller|merchant) (?:has )?(?:received|collected|picked up|accepted|taken) (?:back )?(?:the |its )?return/i, 'The sender has received the return'],
  ['returning', /(?<!\b(?:will|to|may|can|could|must|should) )\b(?:be|being|is|are) (?:returned|(?:sent|shipped|brought|forwarded|transported|taken) back)\b/i, 'Item is being returned'],
  // India: "RTO" is a return to the origin.
  ['returned', /\bRTO\b[^.]{0,20}\b(?:accepted|completed?)\b|\breturned to (?:the )?origin\b[^.]{0,6}\bdelivered\b/i, 'RTO - Return Accepted'],
  ['returning', /\breturning\b|\bon (?:its|the) way back\b|\breturn in (?:progress|transit)\b|\breturn (?:process )?(?:initiated|started)\b|\bRTO\b/i, 'RTO initiated'],
  ['returning', /(?<!\bbe )\b(?:return(?:ed)?|sent|going|way|delivery|transported|forwarded|back|route|headed|heading|bound|transit|shipped|d[ei]spatched|re-?routed|redirected|diverted|moving|travell?ing)(?: back)? to (?:the |its |your )?(?:original )?(?:sender|shipper|consignor|seller|merchant|retailer|vendor)\b|(?<!\bbe )\b(?:return(?:ed)?|back) to (?:the |its )?(?:country of |point of |place of )?origin\b/i, 'Return to sender'],
  ['returned', /(?<!\bwird |\bwerden )\b(?:an den|dem|beim|zum) (?:Absender|Versender|Händler) (?:[a-zäöüß]{1,20} ){0,2}(?:zugestellt|ausgeliefert|ausgehändigt|übergeben|eingetroffen|angekommen|abgegeben)\b/i, 'Die Sendung wurde dem Absender zugestellt.'],
  ['returned', /\bR(?:ücksendung|etoure) (?:wurde |ist )?(?:erfolgreich )?(?:zugestellt|abgeschlossen|angekommen)/i, 'Die Rücksendung wurde erfolgreich zugestellt.'],
  ['returning', /zurück(?:gesandt|geschickt|gesendet|geführt)?[^.]{0,30}(?:Absender|Versender|Händler)|(?:Absender|Versender|Händler)[^.]{0,30}zurück|\bRück(?:sendung|transport|versand|führung|weg)\b(?! (?:in|ins|in das|in die|zum|zur) (?:[a-zäöüß-]{0,20}(?:depot|zentrum|basis)|filiale|niederlassung)\b)|\bwird (?:[a-zäöü]{1,20} ){0,2}zurückge(?:sandt|schickt|sendet|führt)/i, 'Die Sendung wird an den Absender zurückgesandt.'],
  ['returned', /(?:livré|distribué|remis|restitué|rendu) (?:à|chez) (?:l[’']|son )(?:exp[ée]diteur|vendeur)/i, "Le colis est livré à l'expéditeur suite à un retour."],
  ['returned', /retour[^.]{0,30}exp[ée]diteur (?:effectué|terminé|livré)/i, 'Retour à l’expéditeur effectué'],
  ['returning', /(?<!sera |seront |être )retour[^.]{0,30}(?:exp[ée]diteur|vendeur)|(?:renvoyé|réexpédié|réacheminé|repart|repris) (?:à|vers|chez) (?:l[’']|son )(?:exp[ée]diteur|vendeur)|\ben (?:cours de )?retour\b(?! (?:en|au|à l[’']|vers (?:le |l[’'])) ?(?:agence|centre|d[ée]p[ôo]t|bureau))/i, 'Retour à l’expéditeur'],
  ['returned', /(?:退[回件货]|退签)[^，,。；;]{0,16}(?:签收|妥投|已送达)|退件签收|已退签|(?:(?:已|成功)(?:退还|送还|交还)|成功退回)[^，,。；;]{0,8}(?:寄件人|发件人|寄方|卖家|商家)|签收人[^，,。；;]{0,6}(?:寄件人|发件人|寄方)|(?:寄件人|发件人|寄方|卖家|商家)(?:本人)?已(?:签收|收回|取回|取退)/, '退回件已签收'],
  ['returning', /退[回件][^，,。；;]{0,10}(?:寄件|发件|寄方|卖家|商家|途中|派送)|返回(?:寄件|发件|途中)|(?:正在|即将|开始)退[回件]|原路(?:退回|返回)|原返|退[返运]|退[回货]中|(?:退回|返回|发回)[^，,。；;]{0,8}(?:始发|发货地|寄件地)/, '快件退回中'],
  ['returned', /\bentregad[oa] a(?:l| su)? remitente/i, 'Entregado al remitente'],
  ['returned', /\bconsegnat[oa] al mittente|\bconsegna al mittente (?:effettuata|avvenuta)/i, 'Reso consegnato al mittente'],
  ['returned', /\bentregue ao remetente/i, 'Objeto entregue ao remetente'],
  ['returned', /\b(?:terug)?(?:bezorgd|afgeleverd) (?:bij|aan) (?:de )?afzender|\bretour(?:zending|pakket)?(?: (?:naar )?(?:de )?afzender)? (?:is )?(?:bezorgd|afgeleverd)/i, 'Zending afgeleverd bij afzender'],
  ['returned', /\b(?:doręczon|dostarczon|wydan)[aeoy] (?:do )?nadawcy|\bzwrot (?:został )?(?:doręczon|dostarczon)y/i, 'Zwrócona do nadawcy - doręczona do nadawcy'],
  ['returned', /(?:差出人|ご依頼主|発送人)[^。、]{0,6}(?:お届け済|配達完了|返還済|返却済)|返送(?:完了|済)/, '差出人に返送済み'],
  ['returned', /반송 ?(?:배달 ?)?완료|(?:발송인|보낸 ?분|보내는 ?분)[^.,]{0,6}(?:배달|배송) ?완료/, '발송인에게 배달 완료'],
  ['returning', /(?<!será |serán |ser )\b(?:devuelt[oa]|devolución|devuelve|retorno) a(?:l| su)? remitente|\ben (?:curso de )?devolución/i, 'Devuelto al remitente'],
  ['returning', /\b(?:in|di) (?:restituzione|reso|rientro|ritorno) al mittente|(?<!sarà |verrà |essere )\b(?:restituit[oa]|res[oa]|rispedit[oa]) al mittente/i, 'Reso al mittente'],
  ['returning', /(?<!será |serão |ser )\b(?:devolvid[oa]|devolução|retorno) ao remetente|\bem devolução/i, 'Objeto em devolução ao remetente'],
  ['returning', /(?<!zostanie )\b(?:zwróco|odesła)n[aeoy] do nadawcy|(?<!zostanie )\bzwrot do nadawcy|\bw (?:drodze|zwrocie) do nadawcy/i, 'Zwrot do nadawcy'],
  ['returning', /\b(?:retour|terug|geretourneerd|teruggestuurd)(?: (?:naar|aan))? (?:de )?afzender/i, 'Retour afzender'],
  ['returning', /返送(?!さ|し|す|い|と|料|先)/, '差出人に返送'],
  ['returning', /반송(?! ?(?:될|되|불가|요청|취소))/, '반송 중'],
];

/** The meaning of a text about a return; undefined if it says nothing clear. */
export function returnIn(text: string): Meaning | undefined {
  const facts = factsOf(text);
  return MAY_RETURN.test(facts) ? meaningByTable(facts, RETURNS) : undefined;
}

/** A word of each entry about returns. */
const MAY_RETURN =
  /return|back|sender|shipper|consignor|seller|merchant|\bRTO\b|origin|rück|absender|versender|händler|retour|exp[ée]diteur|vendeur|renvoy|退|返|寄件|发件|寄方|卖家|商家|devol|devuel|remit|remet|retorn|rest?itu|\bres[oa]\b|mittent|afzender|terug|zwr[oó]|odes[lł]|nadawc|差出人|依頼主|発送人|반송|발송인|보내|보낸/i;
