import { GOING_BACK, type TextRules } from '../texts/meaning.ts';

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

/** Delivered to a place on the way, as `ONWARD`; the recipient's own agent, neighbor or reception is none. */
export const ONWARD_ABROAD: TextRules = [
  [
    /\b(?:entregad|cedid|transferid)[oa] (?:al?|en)(?: la| el| una?| su| nuestr[oa])? (?:transportista|mensajer[oa]|mensajería|courier|transitario|operador (?:local|logístico|postal)|agente (?:de aduanas?|aduan(?:al|ero)|local|de destino|de reparto)|agencia de (?:transportes?|aduanas?)|empresa de (?:transportes?|mensajería|reparto)|despachante|centro de (?:distribución|clasificación|tratamiento|reparto)|aduanas?|socio (?:local|de entrega)|delegación de destino)\b|\bentregad[oa] al?[^.;,]{1,50} para (?:su |la )?(?:entrega|reparto|distribución|transporte)/i,
    'in_transit',
  ],
  [
    /\b(?:consegnat|affidat|trasferit)[oa] (?:(?:al|alla|allo|ad? un[oa]?|in|nel|presso (?:il|lo|la)) |all[’'])(?:nostro )?(?:corriere|vettore|trasportatore|spedizioniere|broker|operatore (?:locale|logistico|postale)|agente (?:doganale|locale|di destino)|dogana|centro (?:di )?(?:smistamento|distribuzione|logistico)|filiale di destinazione|hub)\b|\bconsegnat[oa] a[^.;,]{1,50} per (?:la |l[’'])?(?:successiva |ulteriore )?(?:consegna|inoltro|distribuzione)/i,
    'in_transit',
  ],
  [
    /\b(?:entregue|repassad[oa]|transferid[oa]) (?:ao|à|a uma?|n[oa]) (?:transportadora?|estafeta|despachante|operador (?:local|logístico|postal)|agente (?:aduaneiro|de alfândega|local)|correio local|parceir[oa]|centro de (?:distribuição|triagem|tratamento|entregas?)|alfândega|aduana|hub)\b|\bentregue (?:ao|à|a)[^.;,]{1,50} para (?:a )?(?:entrega|distribuição|transporte)/i,
    'in_transit',
  ],
  [
    /\b(?:bezorgd|afgeleverd|overgedragen|overhandigd) (?:bij|aan|op|in) (?:(?:de|het|een|onze) )?(?:(?:lokale|plaatselijke|andere) )?(?:vervoerder|koerier|transporteur|bezorgdienst|bezorgpartner|expediteur|douane|sorteercentrum|distributiecentrum|depot|hub)\b|\b(?:bezorgd|afgeleverd|overgedragen|overhandigd) (?:bij|aan)[^.;,]{1,50} voor (?:de )?(?:verdere |lokale )?(?:bezorging|levering|distributie)/i,
    'in_transit',
  ],
  [
    /\b(?:dostarczon|doręczon|przekazan|wydan)[aeoy] (?:do )?(?:(?:lokaln|miejscow)(?:ego|emu|ej) )?(?:przewoźnik(?:a|owi)|kurier(?:a|owi)|firm(?:y|ie) kurierskiej|agen(?:ta|towi|cji) celn(?:ego|emu|ej)|urzędu celnego|sortowni|centrum dystrybucji)\b|\b(?:dostarczon|przekazan)[aeoy][^.;,]{1,50} (?:w celu|do) (?:dalszego )?(?:doręczenia|dostarczenia)/i,
    'in_transit',
  ],
  [
    /(?:配[達送]|運送|宅配|通関)(?:委託|協力)?(?:業者|会社|代理店)[^。、]{0,6}(?:引き?渡|引き?継|お届け|納品)|(?:代理店|営業所|配達店|集配局|税関|仕分けセンター)[へに][^。、]{0,4}(?:引き?渡|引き?継|納品)|(?:배송|택배|운송)(?:업체|사|회사)[^.,]{0,4}(?:인계|전달)|관세사[^.,]{0,4}(?:인계|전달)/,
    'in_transit',
  ],
];

/** Customs has let a parcel go, as `RELEASED`. */
export const RELEASED_ABROAD: TextRules = [
  [
    /\b(?:liberad|despachad)[oa] (?:por|de|en) (?:la )?aduanas?|\baduan(?:as?|ero)[^.]{0,30}(?:finalizad|completad|concluid|liberad)[oa]|\b(?:liberad[oa]|desembaraçad[oa]) (?:pel|n)a (?:alfândega|aduana|receita)|\bdesalfandegad[oa]|\b(?:aduaneir[oa]|alfandegári[oa])[^.]{0,30}(?:conclu[ií]d|finalizad|liberad)[oa]/i,
    'in_transit',
  ],
  [
    /\b(?:sdogan|svincol)at[oa]|\bsdoganamento[^.]{0,20}(?:completat|terminat|effettuat|conclus)o|\b(?:rilasciat|liberat)[oa] dalla dogana|\bingeklaard|\bvrijgegeven door (?:de )?douane|\bdouane[^.]{0,40}(?:vrijgegeven|voltooid|afgerond)/i,
    'in_transit',
  ],
  [
    /\bzwolnion[aeoy][^.]{0,20} celn|\bodpraw[aęy] celn[^.]{0,20}(?:zakończon|dokonan|zrealizowan)|\bcelnej? została zakończona|(?:税関|通関)[^。、]{0,8}(?:許可|完了|終了|通過)|輸入許可|통관[^.,]{0,6}완료|세관[^.,]{0,6}(?:반출|통과)/i,
    'in_transit',
  ],
];
/** What has not happened yet, as `NOT_YET`. */
export const NOT_YET_ABROAD =
  /\b(?:pendientes?|espera|ser|sera|in attesa|non|essere|aguarda\w{0,3}|niet|nog|wacht\w{0,3}|wordt|nie|oczek\w{0,6}|zostanie)\b|\bser[áã]|\bsarà|\bverrà|\bnão\b|대기|예정/i;

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
