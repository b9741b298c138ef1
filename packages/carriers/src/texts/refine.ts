import { saysTakenOut } from './chinese.ts';
import { factsOf } from './facts.ts';
import { type Entry, type Meaning, meaningByTable, type Phrase, says, withProblem } from './meaning.ts';
import { meaningOfText } from './reader.ts';
import { returnIn } from './returns.ts';

/**
 * Delivered to a place on the way, and not to the recipient, whose own agent, neighbor or reception is no such place.
 */
// biome-ignore format: one entry per line is readable as a table
export const ONWARD: readonly Entry[] = [
  ['in_transit', /\bdelivered (?:to|at|into|in) (?!(?:the |its )?(?:recipient|receiver|consignee|addressee|customer) )(?:[a-z]{1,20} ){0,3}(?:depot|hub|terminal|gateway|airport|customs|consolidat(?:or|ion cent(?:re|er))|line ?haul|sort(?:ing|ation)? (?:facility|cent(?:re|er))|(?:distribution|processing|delivery) cent(?:re|er)|delivery (?:station|office)|(?:delivery|courier|carrier|shipping|logistics) partner|(?:local|partner|next|final|last[- ]mile|destination) (?:courier|carrier|facility)|(?:local|destination|partner|delivering|handling|clearing|customs) agent)\b/i, 'Delivered to local depot'],
  ['in_transit', /\bdelivered\b[^.;!]{0,60}\bfor (?:(?:onward|final|further|last[- ]mile|local|home|domestic) )?(?:delivery|transport|transit|carriage|distribution|forwarding)\b(?! (?:proof|confirmation|details|questions))/i, 'Delivered to Smith Ltd for onward delivery'],
  ['in_transit', /\b(?:handed (?:over|off)|transferred|tendered|passed(?: on)?|turned over) to (?:the |a |our )?(?:[a-z]{1,20} ){0,2}(?:carrier|courier|customs|(?:delivery|last[- ]mile|local|network|shipping) partner|postal (?:operator|service)|forwarder)\b/i, 'Handed over to the local delivery partner'],
  ['in_transit', /(?<!\b(?:dem|den|vom) Empfänger )\b(?:im|in das|ins|an das|an die|an|dem|der|an den|beim) (?:[a-zäöüß]{1,20} )?(?:[a-zäöüß-]{0,20}(?:paketzentrum|depot|zentrum|zollamt)|zustellbasis|zustellstützpunkt|zustellpartner|niederlassung)\b[^.]{0,40}(?:zugestellt|ausgeliefert|ausgehändigt|übergeben)/i, 'Im Paketzentrum abgeliefert und ausgeliefert'],
  ['in_transit', /\b(?:an den|an einen|dem|einem) (?:[a-zäöüß]{1,20} )?(?:[a-zäöüß-]{0,20}agenten?|zoll(?:makler)?|kurier)\b[^.]{0,40}(?:zugestellt|ausgehändigt|übergeben)/i, 'Dem Zollmakler übergeben'],
  ['in_transit', /(?:livré|distribué|remis) (?:à|au|aux) (?:(?:l[’']|la |le )?(?:plate-?forme|centre(?! (?:commercial|hospitalier|médical|culturel|sportif|d[’']affaires|de santé)| ?-?ville)|hub|d[ée]p[ôo]t(?! de pain)|transporteur|partenaire|agence|sous-traitant|transitaire|courtier|coursier|douanes?\b|agent (?:en|de|des) douanes?|[^.;,]{1,50} pour (?:la |sa )?(?:livraison|distribution)))/i, 'Livré au transporteur'],
  ['in_transit', /(?:送达|送至|投递[至到]|妥投[至到]|交付)[^，,。；;]{0,16}(?:网点|分拨中心|分拣中心|转运中心|中转[站场部]|营业部|分公司|集散中心|处理中心|枢纽|口岸|机场|海外仓)(?![^。；;]{0,40}(?:本人|客户|收件人|家人|同事|前台|门卫|物业)[^，,。；;]{0,4}签收)/, '已送达云溪分拨中心'],
  ['in_transit', /(?:送达|送至|交付|转交|交由|投递[至到])[^，,。；;]{0,12}(?:代理商?|末端配送商|合作快递|落地配)[^，,。；;]{0,4}[，,]?[^，,。；;]{0,6}(?:派[件送]|配送|转运|继续)/, '快件已交由末端配送商派送'],
  ['in_transit', /(?:交[付给由接]|[移转]交)[^，,。；;]{0,6}(?:(?:清关|报关)(?:代理|公司|行)|海关|落地配|(?:当地|末端|尾程|目的[地国]国?)的?(?:派送|配送|快递|物流|邮政))/, '快件已移交海关'],
  ['in_transit', /\b(?:entregad|cedid|transferid)[oa] (?:al?|en)(?: la| el| una?| su| nuestr[oa])? (?:transportista|mensajer[oa]|mensajería|courier|transitario|operador (?:local|logístico|postal)|agente (?:de aduanas?|aduan(?:al|ero)|local|de destino|de reparto)|agencia de (?:transportes?|aduanas?)|empresa de (?:transportes?|mensajería|reparto)|despachante|centro de (?:distribución|clasificación|tratamiento|reparto)|aduanas?|socio (?:local|de entrega)|delegación de destino)\b|\bentregad[oa] al?[^.;,]{1,50} para (?:su |la )?(?:entrega|reparto|distribución|transporte)/i, 'Entregado al transportista local'],
  ['in_transit', /\b(?:consegnat|affidat|trasferit)[oa] (?:(?:al|alla|allo|ad? un[oa]?|in|nel|presso (?:il|lo|la)) |all[’'])(?:nostro )?(?:corriere|vettore|trasportatore|spedizioniere|broker|operatore (?:locale|logistico|postale)|agente (?:doganale|locale|di destino)|dogana|centro (?:di )?(?:smistamento|distribuzione|logistico)|filiale di destinazione|hub)\b|\bconsegnat[oa] a[^.;,]{1,50} per (?:la |l[’'])?(?:successiva |ulteriore )?(?:consegna|inoltro|distribuzione)/i, 'Consegnato al corriere'],
  ['in_transit', /\b(?:entregue|repassad[oa]|transferid[oa]) (?:ao|à|a uma?|n[oa]) (?:transportadora?|estafeta|despachante|operador (?:local|logístico|postal)|agente (?:aduaneiro|de alfândega|local)|correio local|parceir[oa]|centro de (?:distribuição|triagem|tratamento|entregas?)|alfândega|aduana|hub)\b|\bentregue (?:ao|à|a)[^.;,]{1,50} para (?:a )?(?:entrega|distribuição|transporte)/i, 'Entregue ao operador logístico'],
  ['in_transit', /\b(?:bezorgd|afgeleverd|overgedragen|overhandigd) (?:bij|aan|op|in) (?:(?:de|het|een|onze) )?(?:(?:lokale|plaatselijke|andere) )?(?:vervoerder|koerier|transporteur|bezorgdienst|bezorgpartner|expediteur|douane|sorteercentrum|distributiecentrum|depot|hub)\b|\b(?:bezorgd|afgeleverd|overgedragen|overhandigd) (?:bij|aan)[^.;,]{1,50} voor (?:de )?(?:verdere |lokale )?(?:bezorging|levering|distributie)/i, 'Overgedragen aan de lokale vervoerder'],
  ['in_transit', /\b(?:dostarczon|doręczon|przekazan|wydan)[aeoy] (?:do )?(?:(?:lokaln|miejscow)(?:ego|emu|ej) )?(?:przewoźnik(?:a|owi)|kurier(?:a|owi)|firm(?:y|ie) kurierskiej|agen(?:ta|towi|cji) celn(?:ego|emu|ej)|urzędu celnego|sortowni|centrum dystrybucji)\b|\b(?:dostarczon|przekazan)[aeoy][^.;,]{1,50} (?:w celu|do) (?:dalszego )?(?:doręczenia|dostarczenia)/i, 'Przekazana do sortowni'],
  ['in_transit', /(?:配[達送]|運送|宅配|通関)(?:委託|協力)?(?:業者|会社|代理店)[^。、]{0,6}(?:引き?渡|引き?継|お届け|納品)|(?:代理店|営業所|配達店|集配局|税関|仕分けセンター)[へに][^。、]{0,4}(?:引き?渡|引き?継|納品)|(?:배송|택배|운송)(?:업체|사|회사)[^.,]{0,4}(?:인계|전달)|관세사[^.,]{0,4}(?:인계|전달)/, '配送業者へ引き渡し'],
];

/** Customs has let a parcel go. */
// biome-ignore format: one entry per line is readable as a table
export const RELEASED: readonly Entry[] = [
  ['in_transit', /\b(?:released|cleared)\b[^.]{0,40}\b(?:customs|government|regulatory|clear(?:ing|ance)|broker(?:age)?|border) ?(?:agency|authorit|office|service|force)?/i, 'Released by the customs agency'],
  ['in_transit', /\b(?:customs|government|regulatory|clear(?:ing|ance)|broker(?:age)?|border)\b[^.]{0,40}\b(?:released|cleared|complete[d]?|finished|granted)\b|\bcleared customs\b/i, 'Import clearance complete'],
  ['in_transit', /(?:Zoll|Verzollung)[^.]{0,40}(?:freigegeben|abgeschlossen|abgefertigt|beendet|erledigt)|(?:freigegeben|abgefertigt)[^.]{0,30}Zoll|\bverzollt\b/i, 'Verzollung abgeschlossen'],
  ['in_transit', /dédouané|(?:libéré|sorti)[^.]{0,20}douane|douane[^.]{0,30}libéré|dédouanement (?:est )?(?:terminé|effectué)/i, 'Votre colis est sorti de la douane.'],
  ['in_transit', /(?:清关|通关|海关|报关)[^，,。；;]{0,8}(?:放行|完成|完毕|通过|结束)|放行[^，,。；;]{0,4}海关/, '清关完成'],
  ['in_transit', /\b(?:liberad|despachad)[oa] (?:por|de|en) (?:la )?aduanas?|\baduan(?:as?|ero)[^.]{0,30}(?:finalizad|completad|concluid|liberad)[oa]|\b(?:liberad[oa]|desembaraçad[oa]) (?:pel|n)a (?:alfândega|aduana|receita)|\bdesalfandegad[oa]|\b(?:aduaneir[oa]|alfandegári[oa])[^.]{0,30}(?:conclu[ií]d|finalizad|liberad)[oa]/i, 'Liberado por la aduana'],
  ['in_transit', /\b(?:sdogan|svincol)at[oa]|\bsdoganamento[^.]{0,20}(?:completat|terminat|effettuat|conclus)o|\b(?:rilasciat|liberat)[oa] dalla dogana|\bingeklaard|\bvrijgegeven door (?:de )?douane|\bdouane[^.]{0,40}(?:vrijgegeven|voltooid|afgerond)/i, 'Sdoganamento completato'],
  ['in_transit', /\bzwolnion[aeoy][^.]{0,20} celn|\bodpraw[aęy] celn[^.]{0,20}(?:zakończon|dokonan|zrealizowan)|\bcelnej? została zakończona|(?:税関|通関)[^。、]{0,8}(?:許可|完了|終了|通過)|輸入許可|통관[^.,]{0,6}완료|세관[^.,]{0,6}(?:반출|통과)/i, 'Odprawa celna zakończona'],
];

/** The parcel was delivered to a shop or a locker of the carrier, or waits for its recipient. */
// biome-ignore format: one entry per line is readable as a table
export const AT_POINT: readonly Phrase[] = [
  [/\bdelivered (?:by (?:the |our )?(?:driver|courier) )?(?:to|at|in|into) (?:[\p{L}®™-]{1,20} ){0,3}(?:(?:access|service|(?:self-)?pick[- ]?up|collection|parcel) ?(?:point|shop|location)s?|(?:self-)?pick[- ]?up station|parcel ?shop|packstation|(?:parcel )?locker)\b/iu, 'Delivered to the access point'],
  [/\b(?:await(?:s|ing)|(?:ready|available|waiting) for) (?:the |its |your )?(?:customer |recipient )?(?:pick-?\s?up|collection)\b/iu, 'Awaiting customer pickup'],
  [/\bready to be (?:collected|picked up)\b/iu, 'Ready to be collected'],
  [/\bdelivered (?:to|at|in|into) (?![^.;,]{0,60}\b(?:mail ?room|reception|concierge|front desk))[^.;,]{1,60}\bfor (?:customer |recipient )?(?:pick-?up|collection)\b/iu, 'Delivered to Smith Ltd for customer pickup'],
  [/\b(?:in|im|an) (?:die |eine |der |einer |einen |den )?(?:[A-Z]{2,6} )?(?:Packstation|Filiale|Postfiliale|Paketshop|Abholstation)\b[^.]{0,30}(?:zugestellt|eingestellt|geliefert|hinterlegt)/iu, 'In die Packstation eingestellt'],
  [/\bzur Abholung bereit|(?<!\bin Kürze )\babholbereit/iu, 'Zur Abholung bereit'],
  [/(?:livré|distribué|déposé) (?:à|au|dans|en|chez) (?:votre |un |le |la )?(?:point|relais|bureau de poste|consigne|commerce)/iu, 'Livré en point relais'],
  [/\bentregad[oa] (?:en|a) (?:el |un |su )?(?:punto (?:de recogida|de entrega|pick-?up)|parcel ?shop|locker|taquilla|citypaq)\b/i, 'Entregado en el punto de recogida'],
  [/\bconsegnat[oa] (?:al|a un|presso(?: il| un)?|in(?: un)?) (?:punto (?:di ritiro|pick-?up)|pudo|locker|parcel ?shop)\b/i, 'Consegnato al punto di ritiro'],
  [/\bentregue (?:no|em|num|ao) (?:ponto (?:de (?:recolha|levantamento|retirada)|pick-?up)|cacifo|locker|parcel ?shop)\b/i, 'Entregue no ponto de recolha'],
  [/\b(?:bezorgd|afgeleverd) (?:bij|in|op) (?:een |het |de |uw )?(?:(?:postnl|dhl|dpd|gls)[- ](?:punt|locatie|service ?point)|afhaalpunt|pakketpunt|pakketautomaat|service ?punt|parcel ?shop)\b/i, 'Bezorgd bij een PostNL-punt'],
  [/\b(?:dostarczon|doręczon|umieszczon)[aeoy] (?:do|w) (?:punk(?:tu|cie) odbioru|paczkoma(?:tu|cie)|automa(?:tu|cie) paczkow)/i, 'Dostarczona do punktu odbioru'],
  [/(?:コンビニ|PUDO)[^。、]{0,12}(?:お届け|配達|納品)/i, 'コンビニへお届け'],
  [/편의점[^.,]{0,12}(?:배달|배송|도착)/i, '편의점 도착'],
  [/请[^，,。；;]{0,8}取[件货]|待取[件货]|已?存[入放至到][^，,。；;]{0,20}(?:柜|驿站|丰巢|超市|便利店)/, '请凭码取件'],
];

/** The recipient has the parcel. */
// biome-ignore format: one entry per line is readable as a table
export const COLLECTED: readonly Phrase[] = [
  [/\b(?:collected|picked up|handed)\b|\b(?:to|by) (?:the |its |your )?(?:recipient|receiver|consignee|addressee|customer)\b/i, 'Collected by the customer'],
  [/\b(?:abgeholt|ausgehändigt)\b|an den Empfänger/i, 'An den Empfänger ausgehändigt'],
  [/retiré|remis/i, 'Retiré au guichet'],
  [/(?<!\b(?:ser|essere|worden) )\b(?:recogido|ritirat[oa]|retirado|levantad[oa]|opgehaald|afgehaald|odebran[aeoy])\b(?! te worden)/i, 'Recogido en la oficina'],
  [/\b(?:al|ao|a su) (?:destinatari[oa]|cliente)\b/i, 'Entregado al destinatario'],
  [/\baan (?:de )?(?:ontvanger|geadresseerde)\b/i, 'Afgeleverd aan de ontvanger'],
  [/\b(?:odbiorcy|adresatowi)\b/i, 'Wydana odbiorcy'],
  [/受取済|수령 ?완료/i, '受取済み'],
  [/签收人|本人|凭码签收|[领取]走|已(?:领取|取[件出]|自取)|完成取件/, '凭码签收'],
];

/** The recipient refuses the parcel; customs may refuse one as well. */
// biome-ignore format: one entry per line is readable as a table
export const REFUSAL: readonly Phrase[] = [
  [/\b(?:recipient|receiver|consignee|customer|addressee) (?:has )?(?:refused|rejected|declined)\b/i, 'Customer refused'],
  [/\b(?:refus(?:ed|al)|rejected|declined) (?:by (?:the )?(?:recipient|receiver|consignee|customer|addressee)|(?:the |this )?(?:delivery|parcel|package|shipment|item))\b/i, 'Refused by recipient'],
  [/\b(?:delivery|shipment|parcel|package|item) (?:was |has been )?refused\b/i, 'The parcel was refused'],
  [/(?:Annahme|Empfänger)[^.]{0,30}verweigert/i, 'Annahme verweigert'],
  [/refusé par (?:le |son )?destinataire/i, 'Refusé par le destinataire'],
  [/\b(?:rehusad|rechazad)[oa] por (?:el )?(?:destinatario|cliente)/i, 'Rehusado por el destinatario'],
  [/\b(?:rifiutat|respint)[oa] dal destinatario/i, 'Rifiutato dal destinatario'],
  [/\brecusad[oa] pelo (?:destinatário|cliente)/i, 'Recusado pelo destinatário'],
  [/\bodmowa przyjęcia|\bodmówiła? przyjęcia/i, 'Odmowa przyjęcia'],
  [/\bgeweigerd door (?:de )?(?:ontvanger|geadresseerde)/i, 'Geweigerd door de ontvanger'],
  [/受取(?:拒否|拒絶|辞退)/i, '受取拒否'],
  [/수취 ?(?:거절|거부)/i, '수취 거절'],
  [/拒收|拒签|拒绝签收/, '收件人拒收'],
];

/** Some pieces of a shipment were delivered; the rest is still to be delivered. */
// biome-ignore format: one entry per line is readable as a table
export const PARTIAL: readonly Phrase[] = [
  [/\bpartial(?:ly)? deliver(?:y|ed)\b|\bdelivered,? \(?(?:partial(?:ly)?|in part)\b(?! (?:open|damaged|empty))/i, 'Partially delivered'],
  [/\bteilweise (?:zugestellt|ausgeliefert)|\bTeil(?:zustellung|lieferung)/i, 'Teilweise zugestellt'],
  [/partiellement (?:livré|distribué)|livraison partielle/i, 'Livraison partielle'],
  [/部分(?:签收|妥投|送达)/i, '部分签收'],
];

/** Wordings that are the same for a parcel that was sent back and for one that is back: the code decides. */
// biome-ignore format: one entry per line is readable as a table
export const RETURNED_OR_RETURNING: readonly Phrase[] = [
  [/\breturn to (?:the |its )?(?:original )?(?:sender|shipper|consignor|seller|merchant)$/i, 'Return to sender'],
  [/\bzurückge(?:geben|sandt|sendet|schickt|bracht|führt)\b/i, 'An den Absender zurückgesandt'],
  [/\bretournée? (?:à|chez)/i, 'Retournée à l’expéditeur'],
  [/\bdevuelt[oa] a(?:l| su)? remitente/i, 'Devuelto al remitente'],
  [/\b(?:restituit|res)[oa] al mittente/i, 'Reso al mittente'],
  [/\bdevolvid[oa] ao remetente/i, 'Devolvido ao remetente'],
  [/\bzwrócon[aeoy] do nadawcy/i, 'Zwrócona do nadawcy'],
  [/\b(?:geretourneerd|teruggestuurd)(?: (?:naar|aan))? (?:de )?afzender/i, 'Geretourneerd aan afzender'],
  [/返送/i, '返送'],
  [/반송/i, '반송'],
];

/** Wordings of a return in the present tense: the parcel is on its way, whatever the code says. */
// biome-ignore format: one entry per line is readable as a table
export const STILL_RETURNING: readonly Phrase[] = [
  [/\b(?:wird|werden|wordt|siendo|sendo)\b[^.,;]{0,80}(?:zurück|terug|geretourneerd|devuelt|devolvid)/i, 'Die Sendung wird zurückgesandt'],
  [/\bin reso\b/i, 'In reso al mittente'],
  [/返送中/i, '返送中'],
  [/반송 ?중/i, '반송 중'],
];

const TO_COME = /\bto be (?:collected|picked up)\b/giu;
const AUTHORITIES = /\b(?:customs|authorit|government)|Zoll|douane|海关/iu;

/** On the round: also with a code that only says that the parcel moves, as it counts after a refusal. */
const ON_THE_ROUND =
  /^(?:(?:your |the )?(?:item|parcel|shipment|package) (?:is )?)?out for delivery\b|in das Zustellfahrzeug (?:geladen|verladen)/im;

/** Words for what has not happened yet. */
const NOT_YET =
  /\b(?:not|no|until|before|await\w{0,9}|pending|unable|cannot|once|when|nicht|noch|pas|en attente)\b|未|待|等|无法|\b(?:pendientes?|espera|ser|sera|in attesa|non|essere|aguarda\w{0,3}|niet|nog|wacht\w{0,3}|wordt|nie|oczek\w{0,6}|zostanie)\b|\bser[áã]|\bsarà|\bverrà|\bnão\b|대기|예정/i;

/**
 * The meaning of a scan by its code, refined by its text. Codes are coarse in the same ways everywhere, so this one
 * rule is for all carriers:
 * - on its way back to the sender a parcel is an exception with the course `going_back`; it is `returned` when it is
 *   back;
 * - delivered to a depot, or to an agent for onward delivery, it is in transit; delivered to a locker or a shop, it
 *   waits;
 * - delivered in part, the rest is on the round, as where the pieces are counted;
 * - out for delivery it is on the round, and no longer refused;
 * - released by customs it is in transit, and not in trouble;
 * - trouble with a recipient who refuses it has the course `refused`; any other is of the kind that the text names.
 */
export function refinedByText(meaning: Meaning, text: string): Meaning {
  const { status, course } = meaning;
  if (status === 'info_received') return meaning;
  const facts = factsOf(text);
  // A parcel that waits is not on its way, whatever will happen to it.
  const back = status === 'available_for_pickup' ? undefined : returnIn(text);
  const mayBeBack = status === 'returned' || status === 'delivered';
  const isBack = mayBeBack && says(facts, RETURNED_OR_RETURNING) && !says(facts, STILL_RETURNING);
  if (back !== undefined) return isBack ? { status: 'returned' } : back;
  if (status === 'in_transit' && ON_THE_ROUND.test(facts)) return { ...meaning, status: 'out_for_delivery' };
  if (isByHand(status) && saysTakenOut(facts)) return { status: 'in_transit' };
  if (status === 'delivered') return deliveredTo(facts) ?? meaning;
  if ((status !== 'exception' && status !== 'undeliverable') || course !== undefined) return meaning;
  if (says(facts, REFUSAL) && !AUTHORITIES.test(facts)) return { status, course: 'refused' };
  const released = NOT_YET.test(facts) ? undefined : meaningByTable(facts, RELEASED);
  return released ?? withProblemOf(text, meaning);
}

function withProblemOf(text: string, meaning: Meaning): Meaning {
  // The text may say why an attempt has failed.
  const isOpen = meaning.problem === undefined || meaning.problem === 'failed_attempt';
  const problem = (isOpen ? meaningOfText(text)?.problem : undefined) ?? meaning.problem;
  return problem === undefined ? meaning : withProblem(meaning, problem);
}

function isByHand(status: Meaning['status']): boolean {
  return status === 'delivered' || status === 'available_for_pickup';
}

/** Where a delivered parcel is, if not with its recipient. */
function deliveredTo(facts: string): Meaning | undefined {
  if (says(facts, PARTIAL)) return { status: 'out_for_delivery' };
  return meaningByTable(facts, ONWARD) ?? (waits(facts) ? { status: 'available_for_pickup' } : undefined);
}

function waits(facts: string): boolean {
  return says(facts, AT_POINT) && !says(facts.replace(TO_COME, ''), COLLECTED);
}
