import { GOING_BACK, type Meaning, meaningByRules, type TextRules } from './meaning.ts';

/**
 * Returns in Spanish, Italian, Portuguese, Dutch, Polish, Japanese and Korean, as `RETURNS` has them in other
 * languages.
 */
const RETURNS_ABROAD: TextRules = [
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
const ONWARD_ABROAD: TextRules = [
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
const RELEASED_ABROAD: TextRules = [
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
/** Words for what has not happened yet, like `NOT_YET`. */
const NOT_YET_ABROAD =
  /\b(?:pendientes?|espera|ser|sera|in attesa|non|essere|aguarda\w{0,3}|niet|nog|wacht\w{0,3}|wordt|nie|oczek\w{0,6}|zostanie)\b|\bser[áã]|\bsarà|\bverrà|\bnão\b|대기|예정/i;

/**
 * Wordings that are the same for a parcel that was sent back and for one that is back, in any of the languages: the
 * code decides.
 */
const RETURNED_OR_RETURNING =
  /\breturn to (?:the |its )?(?:original )?(?:sender|shipper|consignor|seller|merchant)$|\bzurückge(?:geben|sandt|sendet|schickt|bracht|führt)\b|\bretournée? (?:à|chez)|\bdevuelt[oa] a(?:l| su)? remitente|\b(?:restituit|res)[oa] al mittente|\bdevolvid[oa] ao remetente|\bzwrócon[aeoy] do nadawcy|\b(?:geretourneerd|teruggestuurd)(?: (?:naar|aan))? (?:de )?afzender|返送|반송/i;

/** Wordings of a return in the present tense: the parcel is on its way, whatever the code says. */
const STILL_RETURNING =
  /\b(?:wird|werden|wordt|siendo|sendo)\b[^.,;]{0,80}(?:zurück|terug|geretourneerd|devuelt|devolvid)|\bin reso\b|返送中|반송 ?중/i;

/**
 * Delivered to a shop or locker of the carrier, as `TO_POINT`; boxes at the recipient's own door, as in Japan, are
 * none.
 */
const TO_POINT_ABROAD =
  /\bentregad[oa] (?:en|a) (?:el |un |su )?(?:punto (?:de recogida|de entrega|pick-?up)|parcel ?shop|locker|taquilla|citypaq)\b|\bconsegnat[oa] (?:al|a un|presso(?: il| un)?|in(?: un)?) (?:punto (?:di ritiro|pick-?up)|pudo|locker|parcel ?shop)\b|\bentregue (?:no|em|num|ao) (?:ponto (?:de (?:recolha|levantamento|retirada)|pick-?up)|cacifo|locker|parcel ?shop)\b|\b(?:bezorgd|afgeleverd) (?:bij|in|op) (?:een |het |de |uw )?(?:(?:postnl|dhl|dpd|gls)[- ](?:punt|locatie|service ?point)|afhaalpunt|pakketpunt|pakketautomaat|service ?punt|parcel ?shop)\b|\b(?:dostarczon|doręczon|umieszczon)[aeoy] (?:do|w) (?:punk(?:tu|cie) odbioru|paczkoma(?:tu|cie)|automa(?:tu|cie) paczkow)|(?:コンビニ|PUDO)[^。、]{0,12}(?:お届け|配達|納品)|편의점[^.,]{0,12}(?:배달|배송|도착)/i;
/** The recipient has it, as `HAS_COLLECTED`. */
const HAS_COLLECTED_ABROAD =
  /(?<!\b(?:ser|essere|worden) )\b(?:recogido|ritirat[oa]|retirado|levantad[oa]|opgehaald|afgehaald|odebran[aeoy])\b(?! te worden)|\b(?:al|ao|a su) (?:destinatari[oa]|cliente)\b|\baan (?:de )?(?:ontvanger|geadresseerde)\b|\b(?:odbiorcy|adresatowi)\b|受取済|수령 ?완료/i;

/** A recipient who does not want it. */
const REFUSAL_ABROAD =
  /\b(?:rehusad|rechazad)[oa] por (?:el )?(?:destinatario|cliente)|\b(?:rifiutat|respint)[oa] dal destinatario|\brecusad[oa] pelo (?:destinatário|cliente)|\bodmowa przyjęcia|\bodmówiła? przyjęcia|\bgeweigerd door (?:de )?(?:ontvanger|geadresseerde)|受取(?:拒否|拒絶|辞退)|수취 ?(?:거절|거부)/i;

/** Advice and conditions ("if you are not at home, it will be returned to the sender") have not happened. */
const ADVICE =
  /(?:\b(?:if|unless|otherwise|in case|before|until|to avoid|or (?:else )?(?:it|they|the [a-z]{1,12}|your [a-z]{1,12}) (?:will|may)|falls|wenn|sollte|sofern|andernfalls|ansonsten|sonst|sinon)|à défaut)\b[^.;!]{0,1000}/gi;
const CHINESE_ADVICE = /(?:如[有需您果遇未非无因]|若[有需您果非无因]|否则)[^。；;！!]*|(?:以免|避免)[^，,。；;！!]*/g;
/** Announcements of what will happen to a parcel that nobody collects in time. */
const DEADLINE =
  /\b(?:will be|are) (?:returned|sent back)\b[^.;!]{0,100}\b(?:after \d{1,2}|if|unless)\b[^.;!]{0,200}|\b(?:wird|werden) nach \d{1,2} [^.;!]{0,100}zurück[^.;!]{0,100}/gi;
const CHINESE_DEADLINE = /(?:逾期|超期|过期|超时)[^，,。；;！!]{0,6}[，,]?(?<!已)[将则会][^，,。；;！!]{0,8}退/g;
/** A Chinese deadline that follows a request to collect the parcel, without a word of the future. */
const CHINESE_REQUEST = /(?:逾期|超期|过期|超时)[^。；;！!]{0,12}退[^。；;！!]*/g;
/** Brackets and the gaps of Chinese texts. */
const MARKS = /[【】[\]「」“”"]|(?<=\p{Script=Han})\s{1,9}|\s{1,9}(?=\p{Script=Han})/gu;

/** Back at a depot, to be delivered again, and what is sent to a sender other than the parcel. */
const NO_RETURN =
  /\breturn(?:ing|ed|s)? from (?:the )?(?:delivery|round)\b|\b(?:return(?:ed|ing|s)?|brought|taken|sent|going|coming) (?:back )?(?:to|at|in) (?:the |our |a |its )?(?!(?:[a-z]{1,20} ){0,2}(?:origin|sender|shipper|seller|merchant|consignor)\b)(?:[a-z]{1,20} ){0,2}(?:depot|hub|terminal|station|facility|office|cent(?:re|er)|branch|courier|driver|van|vehicle)\b|\breturn(?: to (?:the )?(?:sender|shipper))?(?: request)? (?:has been |was |is )?cancell?ed\b|\bcancell?ed the return\b(?! (?:label|shipment))|\b(?:notification|notice|e-?mail|message|request|information|label|confirmation|alert|inquiry|invoice) (?:has been |was |is |being )?(?:sent|forwarded|delivered|transmitted) to (?:the |its |your )?(?:original )?(?:sender|shipper|seller|merchant|consignor)\b/gi;

/** Where a parcel is that returns: with its sender, or on its way there. Only clear wordings: they outrank codes. */
const RETURNS: TextRules = [
  [/\breturn(?:s|ed|ing)? (?:shipping )?label|\bR(?:etouren?|ücksende)-?(?:label|schein|etikett)/i, 'info_received'],
  [
    /(?<!\b(?:be|being|is|are|not|for|to|ready|out) )\b(?:delivered|returned|handed (?:over|back)|given back|brought back),? (?:back )?to (?:the |its |your )?(?:original )?(?:sender|shipper|consignor|seller|merchant|retailer|vendor)\b|\bback (?:at|with) (?:the |its )?(?:original )?(?:sender|shipper|consignor|seller|merchant)\b/i,
    'returned',
  ],
  [
    /(?<!\b(?:be|being) )\b(?:sent|shipped|brought|taken|forwarded)(?: back)? to (?:the |its |your )?(?:original )?(?:sender|shipper|consignor|seller|merchant) and (?:has been |was |is )?(?:successfully )?delivered\b/i,
    'returned',
  ],
  [
    /\breturn(?:ed)?(?: to (?:the )?(?:original )?(?:sender|shipper|consignor|seller|merchant))?(?: (?:shipment|parcel|package|item|delivery|process))? (?:has been |was |is )?(?:successfully )?(?:delivered|complete|completed|finished)\b|\bRTO\b[^.]{0,20}\bdelivered\b/i,
    'returned',
  ],
  [
    /\bsigned (?:for )?by:? (?:the )?(?:original )?(?:sender|shipper|consignor)\b|\b(?:collected|picked up|received|accepted) by (?:the )?original (?:sender|shipper)\b|\b(?:sender|shipper|seller|merchant) (?:has )?(?:received|collected|picked up|accepted|taken) (?:back )?(?:the |its )?return/i,
    'returned',
  ],
  [
    /(?<!\b(?:will|to|may|can|could|must|should) )\b(?:be|being|is|are) (?:returned|(?:sent|shipped|brought|forwarded|transported|taken) back)\b/i,
    GOING_BACK,
  ],
  // India: "RTO" is a return to the origin.
  [/\bRTO\b[^.]{0,20}\b(?:accepted|completed?)\b|\breturned to (?:the )?origin\b[^.]{0,6}\bdelivered\b/i, 'returned'],
  [
    /\breturning\b|\bon (?:its|the) way back\b|\breturn in (?:progress|transit)\b|\breturn (?:process )?(?:initiated|started)\b|\bRTO\b/i,
    GOING_BACK,
  ],
  [
    /(?<!\bbe )\b(?:return(?:ed)?|sent|going|way|delivery|transported|forwarded|back|route|headed|heading|bound|transit|shipped|d[ei]spatched|re-?routed|redirected|diverted|moving|travell?ing)(?: back)? to (?:the |its |your )?(?:original )?(?:sender|shipper|consignor|seller|merchant|retailer|vendor)\b|(?<!\bbe )\b(?:return(?:ed)?|back) to (?:the |its )?(?:country of |point of |place of )?origin\b/i,
    GOING_BACK,
  ],
  [
    /(?<!\bwird |\bwerden )\b(?:an den|dem|beim|zum) (?:Absender|Versender|Händler) (?:[a-zäöüß]{1,20} ){0,2}(?:zugestellt|ausgeliefert|ausgehändigt|übergeben|eingetroffen|angekommen|abgegeben)\b/i,
    'returned',
  ],
  [/\bR(?:ücksendung|etoure) (?:wurde |ist )?(?:erfolgreich )?(?:zugestellt|abgeschlossen|angekommen)/i, 'returned'],
  [
    /zurück(?:gesandt|geschickt|gesendet|geführt)?[^.]{0,30}(?:Absender|Versender|Händler)|(?:Absender|Versender|Händler)[^.]{0,30}zurück|\bRück(?:sendung|transport|versand|führung|weg)\b(?! (?:in|ins|in das|in die|zum|zur) (?:[a-zäöüß-]{0,20}(?:depot|zentrum|basis)|filiale|niederlassung)\b)|\bwird (?:[a-zäöü]{1,20} ){0,2}zurückge(?:sandt|schickt|sendet|führt)/i,
    GOING_BACK,
  ],
  [/(?:livré|distribué|remis|restitué|rendu) (?:à|chez) (?:l[’']|son )(?:exp[ée]diteur|vendeur)/i, 'returned'],
  [/retour[^.]{0,30}exp[ée]diteur (?:effectué|terminé|livré)/i, 'returned'],
  [
    /(?<!sera |seront |être )retour[^.]{0,30}(?:exp[ée]diteur|vendeur)|(?:renvoyé|réexpédié|réacheminé|repart|repris) (?:à|vers|chez) (?:l[’']|son )(?:exp[ée]diteur|vendeur)|\ben (?:cours de )?retour\b(?! (?:en|au|à l[’']|vers (?:le |l[’'])) ?(?:agence|centre|d[ée]p[ôo]t|bureau))/i,
    GOING_BACK,
  ],
  [
    /(?:退[回件货]|退签)[^，,。；;]{0,16}(?:签收|妥投|已送达)|退件签收|已退签|(?:已|成功)(?:退还|送还|交还)[^，,。；;]{0,8}(?:寄件人|发件人|寄方|卖家|商家)|签收人[^，,。；;]{0,6}(?:寄件人|发件人|寄方)|(?:寄件人|发件人|寄方|卖家|商家)(?:本人)?已(?:签收|收回|取回)/,
    'returned',
  ],
  [
    /退[回件][^，,。；;]{0,10}(?:寄件|发件|寄方|卖家|商家|途中|派送)|返回(?:寄件|发件|途中)|(?:正在|即将|开始)退[回件]|原路(?:退回|返回)|原返|退[返运]|退[回货]中|(?:退回|返回|发回)[^，,。；;]{0,8}(?:始发|发货地|寄件地)/,
    GOING_BACK,
  ],
  ...RETURNS_ABROAD,
];

/** Delivered to a place on the way, and not to the recipient. */
const ONWARD: TextRules = [
  [
    /\bdelivered (?:to|at|into|in) (?!(?:the |its )?(?:recipient|receiver|consignee|addressee|customer) )(?:[a-z]{1,20} ){0,3}(?:depot|hub|terminal|gateway|airport|customs|consolidat(?:or|ion cent(?:re|er))|line ?haul|sort(?:ing|ation)? (?:facility|cent(?:re|er))|(?:distribution|processing|delivery) cent(?:re|er)|delivery (?:station|office)|(?:delivery|courier|carrier|shipping|logistics) partner|(?:local|partner|next|final|last[- ]mile|destination) (?:courier|carrier|facility)|(?:local|destination|partner|delivering|handling|clearing|customs) agent)\b/i,
    'in_transit',
  ],
  [
    /\bdelivered\b[^.;!]{0,60}\bfor (?:(?:onward|final|further|last[- ]mile|local|home|domestic) )?(?:delivery|transport|transit|carriage|distribution|forwarding)\b(?! (?:proof|confirmation|details|questions))/i,
    'in_transit',
  ],
  [
    /\b(?:handed (?:over|off)|transferred|tendered|passed(?: on)?|turned over) to (?:the |a |our )?(?:[a-z]{1,20} ){0,2}(?:carrier|courier|(?:delivery|last[- ]mile|local|network|shipping) partner|postal (?:operator|service)|forwarder)\b/i,
    'in_transit',
  ],
  [
    /(?<!\b(?:dem|den|vom) Empfänger )\b(?:im|in das|ins|an das|an die|an|dem|der|an den|beim) (?:[a-zäöüß]{1,20} )?(?:[a-zäöüß-]{0,20}(?:paketzentrum|depot|zentrum|zollamt)|zustellbasis|zustellstützpunkt|zustellpartner|niederlassung)\b[^.]{0,40}(?:zugestellt|ausgeliefert|ausgehändigt|übergeben)/i,
    'in_transit',
  ],
  [
    /\b(?:an den|an einen|dem|einem) (?:[a-zäöüß]{1,20} )?(?:[a-zäöüß-]{0,20}agenten?|zollmakler|kurier)\b[^.]{0,40}(?:zugestellt|ausgehändigt|übergeben)/i,
    'in_transit',
  ],
  [
    /(?:livré|distribué|remis) (?:à|au|aux) (?:(?:l[’']|la |le )?(?:plate-?forme|centre(?! (?:commercial|hospitalier|médical|culturel|sportif|d[’']affaires|de santé)| ?-?ville)|hub|d[ée]p[ôo]t(?! de pain)|transporteur|partenaire|agence|sous-traitant|transitaire|courtier|coursier|douanes?\b|agent (?:en|de|des) douanes?|[^.;,]{1,50} pour (?:la |sa )?(?:livraison|distribution)))/i,
    'in_transit',
  ],
  [
    /(?:送达|送至|投递[至到]|妥投[至到]|交付)[^，,。；;]{0,16}(?:网点|分拨中心|分拣中心|转运中心|中转[站场部]|营业部|分公司|集散中心|处理中心|枢纽|口岸|机场|海外仓)(?![^。；;]{0,40}(?:本人|客户|收件人|家人|同事|前台|门卫|物业)[^，,。；;]{0,4}签收)/,
    'in_transit',
  ],
  [
    /(?:送达|送至|交付|转交|交由|投递[至到])[^，,。；;]{0,12}(?:代理商?|末端配送商|合作快递|落地配)[^，,。；;]{0,4}[，,]?[^，,。；;]{0,6}(?:派[件送]|配送|转运|继续)/,
    'in_transit',
  ],
  [
    /(?:交[付给由接]|[移转]交)[^，,。；;]{0,6}(?:(?:清关|报关)(?:代理|公司|行)|海关|落地配|(?:当地|末端|尾程|目的[地国]国?)的?(?:派送|配送|快递|物流|邮政))/,
    'in_transit',
  ],
  ...ONWARD_ABROAD,
];

/** Delivered to a place where it waits for its recipient, who has not collected it yet. */
const TO_POINT =
  /\bdelivered (?:by (?:the |our )?(?:driver|courier) )?(?:to|at|in|into) (?:[\p{L}®™-]{1,20} ){0,3}(?:(?:access|service|(?:self-)?pick[- ]?up|collection|parcel) ?(?:point|shop|location)s?|(?:self-)?pick[- ]?up station|parcel ?shop|packstation|(?:parcel )?locker)\b|\b(?:in|an) (?:die |eine |der |einer |einen |den )?(?:Packstation|Filiale|Postfiliale|Paketshop|Abholstation)\b[^.]{0,30}(?:zugestellt|eingestellt|geliefert|hinterlegt)|(?:livré|distribué|déposé) (?:à|au|dans|en|chez) (?:votre |un |le |la )?(?:point|relais|bureau de poste|consigne|commerce)/iu;
/** Says itself that it waits, or what it was delivered for. */
const WAITS =
  /\b(?:await(?:s|ing)|(?:ready|available|waiting) for) (?:the |its |your )?(?:customer |recipient )?(?:pick-?\s?up|collection)\b|\bready to be (?:collected|picked up)\b|\bdelivered (?:to|at|in|into) (?![^.;,]{0,60}\b(?:mail ?room|reception|concierge|front desk))[^.;,]{1,60}\bfor (?:customer |recipient )?(?:pick-?up|collection)\b|\bzur Abholung bereit|\babholbereit/iu;
/** Asks the recipient to collect it, or says that it lies in a locker. */
const KEPT_IN_CHINA =
  /请[^，,。；;]{0,8}取[件货]|待取[件货]|已?存[入放至到][^，,。；;]{0,20}(?:柜|驿站|丰巢|超市|便利店)/;
const COLLECTED_IN_CHINA = /签收人|本人|凭码签收|[领取]走|已(?:领取|取[件出]|自取)|完成取件/;
const TO_COME = /\bto be (?:collected|picked up)\b/giu;
const HAS_COLLECTED =
  /\b(?:collected|picked up|handed)\b|\b(?:to|by) (?:the |its |your )?(?:recipient|receiver|consignee|addressee|customer)\b|\b(?:abgeholt|ausgehändigt)\b|an den Empfänger|retiré|remis/iu;
/** Some pieces of a shipment: the rest is still to be delivered. */
const PARTIAL =
  /\bpartial(?:ly)? deliver(?:y|ed)\b|\bdelivered,? \(?(?:partial(?:ly)?|in part)\b(?! (?:open|damaged|empty))|\bteilweise (?:zugestellt|ausgeliefert)|\bTeil(?:zustellung|lieferung)|partiellement (?:livré|distribué)|livraison partielle|部分(?:签收|妥投|送达)/i;
/** The recipient does not want it; customs may refuse a parcel as well. */
const REFUSAL =
  /\b(?:recipient|receiver|consignee|customer|addressee) (?:has )?(?:refused|rejected|declined)\b|\b(?:refus(?:ed|al)|rejected|declined) (?:by (?:the )?(?:recipient|receiver|consignee|customer|addressee)|(?:the |this )?(?:delivery|parcel|package|shipment|item))\b|\b(?:delivery|shipment|parcel|package|item) (?:was |has been )?refused\b|(?:Annahme|Empfänger)[^.]{0,30}verweigert|refusé par (?:le |son )?destinataire|拒收|拒签|拒绝签收/iu;
const AUTHORITIES = /\b(?:customs|authorit|government)|Zoll|douane|海关/iu;

/** On the round: also with a code that only says that the parcel moves, as it counts after a refusal. */
const ON_THE_ROUND =
  /^(?:(?:your |the )?(?:item|parcel|shipment|package) (?:is )?)?out for delivery\b|in das Zustellfahrzeug (?:geladen|verladen)/im;

const NOT_YET =
  /\b(?:not|no|until|before|await\w{0,9}|pending|unable|cannot|once|when|nicht|noch|pas|en attente)\b|未|待|等|无法/i;
/** Customs has let a parcel go. */
const RELEASED: TextRules = [
  [
    /\b(?:released|cleared)\b[^.]{0,40}\b(?:customs|government|regulatory|clear(?:ing|ance)|broker(?:age)?|border) ?(?:agency|authorit|office|service|force)?/i,
    'in_transit',
  ],
  [
    /\b(?:customs|government|regulatory|clear(?:ing|ance)|broker(?:age)?|border)\b[^.]{0,40}\b(?:released|cleared|complete[d]?|finished|granted)\b|\bcleared customs\b/i,
    'in_transit',
  ],
  [
    /(?:Zoll|Verzollung)[^.]{0,40}(?:freigegeben|abgeschlossen|abgefertigt|beendet|erledigt)|(?:freigegeben|abgefertigt)[^.]{0,30}Zoll|\bverzollt\b/i,
    'in_transit',
  ],
  [
    /dédouané|(?:libéré|sorti)[^.]{0,20}douane|douane[^.]{0,30}libéré|dédouanement (?:est )?(?:terminé|effectué)/i,
    'in_transit',
  ],
  [/(?:清关|通关|海关|报关)[^，,。；;]{0,8}(?:放行|完成|完毕|通过|结束)|放行[^，,。；;]{0,4}海关/, 'in_transit'],
  ...RELEASED_ABROAD,
];

/** The meaning of a text about a return; undefined if it says nothing clear. */
export function returnIn(text: string): Meaning | undefined {
  return returnOf(factsOf(text));
}

/** A word of each rule about returns. */
const MAY_RETURN =
  /return|back|sender|shipper|consignor|seller|merchant|\bRTO\b|origin|rück|absender|versender|händler|retour|exp[ée]diteur|vendeur|renvoy|退|返|寄件|发件|寄方|卖家|商家|devol|devuel|remit|remet|retorn|rest?itu|\bres[oa]\b|mittent|afzender|terug|zwr[oó]|odes[lł]|nadawc|差出人|依頼主|発送人|반송|발송인|보내|보낸/i;

function returnOf(facts: string): Meaning | undefined {
  return MAY_RETURN.test(facts) ? meaningByRules(facts, RETURNS) : undefined;
}

/**
 * The meaning of a scan after its text has been heard. Codes are coarse in the same ways everywhere, so this one rule
 * is for all carriers:
 * - on its way back to the sender a parcel is an exception with the course `going_back`; it is `returned` when it is
 *   back;
 * - delivered to a depot, or to an agent for onward delivery, it is in transit; delivered to a locker or a shop, it
 *   waits;
 * - delivered in part, the rest is on the round, as where the pieces are counted;
 * - out for delivery it is on the round, and no longer refused;
 * - released by customs it is in transit, and not in trouble;
 * - trouble with a recipient who refuses it has the course `refused`.
 */
export function heard(meaning: Meaning, text: string): Meaning {
  const { status, course } = meaning;
  if (status === 'info_received') return meaning;
  const facts = factsOf(text);
  // A parcel that waits is not on its way, whatever will happen to it.
  const back = status === 'available_for_pickup' ? undefined : returnOf(facts);
  const mayBeBack = status === 'returned' || status === 'delivered';
  const isBack = mayBeBack && RETURNED_OR_RETURNING.test(facts) && !STILL_RETURNING.test(facts);
  if (back !== undefined) return isBack ? { status: 'returned' } : back;
  if (status === 'in_transit' && ON_THE_ROUND.test(facts)) return { ...meaning, status: 'out_for_delivery' };
  if (isByHand(status) && saysTakenOut(facts)) return { status: 'in_transit' };
  if (status === 'delivered') return deliveredTo(facts) ?? meaning;
  if ((status !== 'exception' && status !== 'undeliverable') || course !== undefined) return meaning;
  if ((REFUSAL.test(facts) || REFUSAL_ABROAD.test(facts)) && !AUTHORITIES.test(facts))
    return { status, course: 'refused' };
  return NOT_YET.test(facts) || NOT_YET_ABROAD.test(facts) ? meaning : (meaningByRules(facts, RELEASED) ?? meaning);
}

function isByHand(status: Meaning['status']): boolean {
  return status === 'delivered' || status === 'available_for_pickup';
}

/** Where a delivered parcel is, if not with its recipient. */
function deliveredTo(facts: string): Meaning | undefined {
  if (PARTIAL.test(facts)) return { status: 'out_for_delivery' };
  return meaningByRules(facts, ONWARD) ?? (waits(facts) ? { status: 'available_for_pickup' } : undefined);
}

function waits(facts: string): boolean {
  const isAtPoint =
    TO_POINT.test(facts) || TO_POINT_ABROAD.test(facts) || WAITS.test(facts) || KEPT_IN_CHINA.test(facts);
  return (
    isAtPoint &&
    !HAS_COLLECTED.test(facts.replace(TO_COME, '')) &&
    !HAS_COLLECTED_ABROAD.test(facts) &&
    !COLLECTED_IN_CHINA.test(facts)
  );
}

/** The text that was read last, because one text goes through several tables. */
let last = { written: '', facts: '' };

/**
 * The part of a text that says what has happened: without advice, without what happens later, and without returns to
 * other places.
 */
export function factsOf(written: string): string {
  if (written !== last.written) last = { written, facts: HAN.test(written) ? chineseFacts(written) : facts(written) };
  return last.facts;
}

function facts(written: string): string {
  const text = BRACKETS.test(written) ? written.replace(MARKS, '') : written;
  if (!MAY_BE_ADVICE.test(text)) return text;
  return [DEADLINE, ADVICE, NO_RETURN].reduce((rest, other) => rest.replace(other, ''), text);
}

function chineseFacts(written: string): string {
  const others = [
    CHINESE_ADVICE,
    CHINESE_DEADLINE,
    ...(written.includes('请') || written.includes('請') ? [CHINESE_REQUEST] : []),
  ];
  return others.reduce((rest, other) => rest.replace(other, ''), facts(simplified(written)));
}

const BRACKETS = /[【】[\]「」“”"]|\p{Script=Han}/u;
/** A word of each pattern that `facts` takes out. */
const MAY_BE_ADVICE =
  /\b(?:if|unless|otherwise|in case|before|until|avoid|or|falls|wenn|sollte|sofern|andernfalls|ansonsten|sonst|sinon|return\w{0,4}|sent|nach|back|brought|taken|going|coming|defaut)\b|à défaut|cancel/i;

/** Traditional characters of scans, and the simplified ones that the tables have. */
const TRADITIONAL =
  '簽签達达遞递貨货運运轉转關关櫃柜領领絕绝請请憑凭碼码門门發发車车進进處处離离開开內内無无攔拦投投單单訂订壞坏損损遺遗丟丢詳详錯错誤误電电話话聯联繫系繼继續续續续務务點点營营業业區区換换號号郵邮鄰邻' +
  '親亲屬属寶宝備备創创異异滯滞銷销毀毁還还賣卖買买攬揽網网總总縣县機机場场樓楼寫写聽听應应會会將将過过時时間间預预計计後后個个們们從从當当為为與与給给對对見见順顺歸归暫暂儲储庫库倉仓檢检驗验稅税費费環环裝装載载輛辆駛驶線线灣湾廣广東东瀋沈陽阳島岛蘭兰經经濟济臺台觸触' +
  '託托錄录資资寄寄館馆廳厅週周末末問问題题級级終终結结約约納纳組组編编練练際际險险隨随陸陆階阶難难雲云靜静頁页項项頓顿類类顯显飛飞餘余驛驿';
const SIMPLIFIED = new Map(
  Array.from({ length: TRADITIONAL.length / 2 }, (_, i) => [TRADITIONAL.charAt(2 * i), TRADITIONAL.charAt(2 * i + 1)]),
);
const HAN = /\p{Script=Han}/u;

function simplified(text: string): string {
  return isJapanese(text) ? text : Array.from(text, (each) => SIMPLIFIED.get(each) ?? each).join('');
}

/** Kana, or words in Kanji that Chinese texts do not have. */
const JAPANESE =
  /[\u3041-\u30ff]|配達(?![站所])|引受|持戻|持出|通関|差出人|受取|返送|荷物|保管中|^保管$|^返品$|^ご?不在$|^通過$|輸送中|発送|出荷|投函|住所|調査中|紛失/;

export function isJapanese(text: string): boolean {
  return JAPANESE.test(text);
}

/** A courier took it out of a locker or a shop, which it left too late, or to deliver it again. */
export const TAKEN_OUT =
  /(?:快递员|派件员|业务员|配送员|投递员|揽投员|管理员|工作人员|小哥)[^，,。；;]{0,10}取[出走回]|(?:超时|逾期|超期|过期)[^。；;将会请付费客收您]{0,20}(?<!未)取[出回]|(?<!(?:客户|用户|收件人|本人|您)[^，,。；;]{0,4})已?从[^，,。；;]{0,12}(?:驿站|柜|丰巢|菜鸟|兔喜|代收点|自提|超市|便利店|服务站|邮站|快递点|门店)[^，,。；;]{0,4}取回|取[出走回][^。；;]{0,6}(?:(?:重新|二次|再次)[^，,。；;]{0,4}[派投配]|转[至到往入])|已退柜/;
/** The text goes on to say that it was delivered after all. */
export const AFTER_ALL = /已(?:[^，,。；;]{0,4}签收|[^，,。；;]{0,2}上门)|签收人|(?:本人|客户)签收|妥投/;

/** Whether a courier took a parcel out of a locker again; the text is without advice. */
export function saysTakenOut(said: string): boolean {
  return TAKEN_OUT.test(said) && !AFTER_ALL.test(said);
}
