import type { HandedTo, Proof } from '@pts/core/tracking/scan';

/** A place that texts of deliveries name, its pattern, and a sentence for it. */
type Row = readonly [HandedTo, RegExp, example: string];

/** The first row that matches decides: persons before the places that they are found at. */
// biome-ignore format: one entry per line is readable as a table
export const HANDED_TO_RULES: readonly Row[] = [
  ['neighbor', /neighbou?r|nachbar|voisin|vecin[oa]|vizinh[oa]|\bvicin[oa] di casa|\bal vicino\b|\bbu?ren\b|\bbuur|sąsia|komşu|сосед|邻居|鄰居|隣|이웃/i, 'Left with a neighbour'],
  ['colleague', /colleague|co-?worker|kolleg|collègue|compañero de trabajo|同事/i, '同事代签收'],
  ['household', /household|family member|room-?mate|hausbewohner|mitbewohner|haushalt|familienangeh|membre du foyer|familiar\b|家人|家属|家屬|亲属|室友|家族|가족/i, 'Signed by a household member'],
  ['reception', /reception|front ?desk|mail ?room|concierge|security (?:desk|guard)|doorman|\bporter\b|gatehouse|empfangs?(?:halle|theke|bereich)\b|\bam empfang|rezeption|pförtner|poststelle|gardien|accueil|réception|recepción|conserje|portero|portaria|porteiro|rece[pç]ção|portier[ei]|portineria|receptie|recepcj|ochron|前台|门卫|門衛|保安|物业|物業|传达室|收发室|管理人|受付|경비실|관리실|охран|консьерж/i, 'Delivered, Front Desk/Reception/Mail Room'],
  ['mailbox', /mail ?box|letter ?box|mail slot|\bpo box|briefkasten|bo[iî]te (?:aux|à|a) lettres?|buzón|caixa (?:de|do) correio|cassetta (?:delle lettere|postale)|brievenbus|skrzynk|posta kutusu|почтов\S{1,4} ящик|信箱|信报箱|奶箱|郵便受|ポスト|우편함/i, 'Delivered, In/At Mailbox'],
  ['locker', /\blocker|packstation|parcel (?:terminal|machine)|consigne|taquilla|cacifo|paczkomat|pakketautomaat|постамат|丰巢|豐巢|快递柜|智能柜|柜机|宅配ボックス|무인 ?(?:택배)?함|보관함/i, 'Collected from the parcel locker'],
  ['pickup_point', /pick-?\s?up (?:point|location|shop)|parcel ?shop|access point|collection point|post office|paketshop|filiale|point (?:de )?relais|point (?:de )?retrait|bureau de poste|punto (?:de recogida|di ritiro)|ponto (?:de recolha|de levantamento)|pakketpunt|punk\w{1,3} odbioru|驿站|驛站|代收点|自提|超市|便利店|服务站|コンビニ|窓口|편의점/i, 'Collected at the pick-up point'],
  ['safe_place', /safe ?place|agreed (?:place|location)|authori[sz]ed (?:place|location)|\bgarage|\bshed\b|\bgarden|\bpatio|ablageort|wunschort|abstellort|terrasse|gartenhaus|lieu (?:sûr|convenu)|endroit (?:sûr|convenu)|lugar seguro|lugar acordado|luogo (?:sicuro|concordato)|veilige plek|afgesproken plek/i, 'Am vereinbarten Ablageort hinterlegt'],
  ['door', /front ?door|door ?step|\bporch\b|\bat (?:the |your )?door|haustür|vor der (?:haus|wohnungs)?tür|devant (?:la |votre )?porte|en la puerta|à porta|alla porta|voordeur|pod drzwiami|家门口|门口|門口|玄関|置き配|문 ?앞/i, 'Delivered, Front Door/Porch'],
  ['recipient', /\b(?:to|by|with) (?:the |an? )?(?:recipient|addressee|receiver|consignee|customer|resident|individual|person)\b|in person|persönlich|\b(?:dem|den|vom) empfänger|destinat[aá]ri?[oa]|destinataire|main propre|ontvanger|geadresseerde|odbiorc|adresat|alıcı|получател|адресат|本人|收件人|客户签收|ご本人|受取人|お客様|본인|수취인/i, 'Delivered, Left with Individual'],
];

/** Words before the name of the person who signed. */
const SIGNER =
  /(?:\bsigned (?:for )?by|\breceived by|\baccepted by|\bleft with|\bunterschrieben von|\bangenommen von|\bempfangen von|\bsigné par|\breçu par|\bfirmado por|\brecibido por|\bassinado por|\brecebido por|\bfirmato da|\britirato da|\bgetekend door|\bontvangen door|\bodebran[aey] przez|签收人|簽收人|受領者|サイン|인수자|수령인)(?: is|是|为)?\s{0,3}[:：]?\s{0,3}/iu;
/** A name, also a masked one such as `L*` or `陆**`. */
const NAME =
  /^(?:\p{Script=Han}[\p{Script=Han}*]{0,5}|[\p{Script=Hangul}*]{2,5}|\p{Lu}[\p{L}*.'’-]{0,30}(?: \p{L}[\p{L}*.'’-]{0,30}){0,3})/u;
/** Who signs without being a name. */
const ROLE =
  /^(?:the|an?|your|our|recipient|resident|individual|neighbou?r|addressee|consignee|customer|reception|front|security|house|family|person|unknown|n\/?a|sender|shipper|other|colleague|agent|empfänger|nachbar|absender|pförtner)\b|[本他]人|家人|家属|同事|前台|门卫|保安|物业|邻居|室友|朋友|客户|收件|寄件|发件|代收|驿站|柜|丰巢|菜鸟|超市|便利店|服务站|门店|凭|草签|转|他人|已|签收|取件|본인|가족|경비|이웃/iu;

/** The place or person to whom the text of a delivery says that it was handed; undefined for none. */
export function proofIn(text: string): Proof | undefined {
  const to = HANDED_TO_RULES.find(([, pattern]) => pattern.test(text))?.[0];
  const signedBy = signerIn(text);
  if (to === undefined && signedBy === undefined) return undefined;
  return { ...(to !== undefined && { to }), ...(signedBy !== undefined && { signedBy }) };
}

function signerIn(text: string): string | undefined {
  const label = SIGNER.exec(text);
  if (label === null) return undefined;
  const rest = text.slice(label.index + label[0].length).replace(/^[【[(（]/u, '');
  return ROLE.test(rest) ? undefined : NAME.exec(rest)?.[0].trim();
}

/** A public address of an image or a document. */
const PUBLIC = /^https:\/\/(?:[\w-]{1,63}\.){1,6}[a-z]{2,20}(?:[/?#][\x21-\x7e]{0,2000})?$/i;

/** The parts of an answer that prove a delivery, as its carrier writes them. */
type Stated = { signedBy?: string; place?: string; urls?: readonly string[] };

/**
 * The proof of delivery that an answer states in fields of its own. Instead of a name it may say to whom the parcel was
 * delivered, or that no signature was needed; addresses that are not public are left out.
 */
export function statedProof({ signedBy = '', place = '', urls = [] }: Stated): Proof | undefined {
  const name = signedBy.trim();
  const isName = /\p{L}/u.test(name) && !ROLE.test(name) && !/\b(?:not?|without)\b|required|signature/i.test(name);
  const to = [place, isName ? '' : name].flatMap((text) => proofIn(text)?.to ?? placeNamed(text) ?? [])[0];
  const proof: Proof = {
    ...(to !== undefined && { to }),
    ...(isName && { signedBy: name }),
    ...(urls.some((url) => PUBLIC.test(url)) && { urls: urls.filter((url) => PUBLIC.test(url)) }),
  };
  return Object.keys(proof).length === 0 ? undefined : proof;
}

/** A word alone, such as `RESIDENT` or `FRONT_DOOR`. */
function placeNamed(text: string): HandedTo | undefined {
  const words = text.replaceAll('_', ' ').trim();
  if (/^(?:recipient|resident|receiver|customer|consignee|получатель)$/i.test(words)) return 'recipient';
  return proofIn(words)?.to ?? (words === '' ? undefined : 'other');
}
