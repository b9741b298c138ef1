import { GOING_BACK, type Meaning, meaningByRules, type TextRules } from './meaning.ts';

/** Advice and conditions ("if you are not at home, it will be returned to the sender") have not happened. */
const ADVICE =
  /(?:\b(?:if|unless|otherwise|in case|before|until|falls|wenn|sollte|sofern|andernfalls|sinon)|à défaut)\b[^.;!]{0,1000}/gi;
const CHINESE_ADVICE = /(?:如[有需您果遇未非]|若[有需您果非])[^。；;！!]*/g;
/** Brackets and the gaps of Chinese texts. */
const MARKS = /[【】[\]「」“”"]|(?<=\p{Script=Han})\s{1,9}|\s{1,9}(?=\p{Script=Han})/gu;

/** Where a parcel is that returns: with its sender, or on its way there. Only clear wordings: they outrank codes. */
const RETURNS: TextRules = [
  [/\breturn(?:s|ed|ing)? (?:shipping )?label/i, 'info_received'],
  [
    /(?<!\b(?:be|being|is|are|not|for|to|ready|out) )\b(?:delivered|returned|handed (?:over|back)|given back|brought back),? (?:back )?to (?:the |its |your )?(?:original )?(?:sender|shipper|consignor)\b/i,
    'returned',
  ],
  [/(?<!\b(?:will|to|may|can|could|must|should) )\b(?:be|being|is|are) (?:returned|sent back)\b/i, GOING_BACK],
  [
    /\breturning\b|\bon (?:its|the) way back\b|\breturn in progress\b|\breturn (?:process )?(?:initiated|started)\b/i,
    GOING_BACK,
  ],
  [
    /(?<!\bbe )\b(?:return(?:ed)?|sent|going|way|delivery|transported|forwarded)(?: back)? to (?:the |its |your )?(?:original )?(?:sender|shipper|consignor)\b/i,
    GOING_BACK,
  ],
  [
    /(?<!\bwird |\bwerden )\b(?:an den|dem|beim|zum) Absender (?:[a-zäöüß]{1,20} ){0,2}(?:zugestellt|ausgeliefert|ausgehändigt|übergeben)\b/i,
    'returned',
  ],
  [/zurück(?:gesandt|geschickt|gesendet|geführt)?[^.]{0,30}Absender|Absender[^.]{0,30}zurück/i, GOING_BACK],
  [/(?:livré|distribué|remis|restitué) (?:à|chez) (?:l[’']|son )exp[ée]diteur/i, 'returned'],
  [/retour[^.]{0,30}exp[ée]diteur|renvoyé à (?:l[’']|son )exp[ée]diteur/i, GOING_BACK],
  [
    /(?:退[回件货]|退签)[^，,。；;]{0,16}(?:签收|妥投|已送达)|退件签收|已退签|(?:已|成功)(?:退还|送还|交还)[^，,。；;]{0,8}(?:寄件人|发件人|寄方|卖家|商家)|签收人[^，,。；;]{0,6}(?:寄件人|发件人|寄方)/,
    'returned',
  ],
  [
    /退[回件][^，,。；;]{0,10}(?:寄件|发件|寄方|卖家|商家|途中|派送)|返回(?:寄件|发件)|(?:正在|即将|开始)退[回件]/,
    GOING_BACK,
  ],
];

/** Delivered to a place on the way, and not to the recipient. */
const ONWARD: TextRules = [
  [
    /\bdelivered (?:to|at|into|in) (?:[a-z]{1,20} ){0,3}(?:depot|hub|terminal|sort(?:ing|ation) (?:facility|cent(?:re|er))|(?:distribution|processing|delivery) cent(?:re|er)|delivery (?:partner|station|office)|(?:local|partner|next|final|last[- ]mile|destination) (?:courier|carrier|facility))\b/i,
    'in_transit',
  ],
  [
    /\bdelivered\b[^.]{0,60}\bfor (?:onward|final|further|last[- ]mile|local) (?:delivery|transport|transit|carriage)/i,
    'in_transit',
  ],
  [
    /\b(?:im|in das|ins|an das|an die|dem|der|an den|beim) (?:[a-zäöüß]{1,20} )?(?:[a-zäöüß-]{0,20}paketzentrum|[a-zäöüß-]{0,20}depot|zustellbasis|zustellstützpunkt|zustellpartner|verteilzentrum|agenten?)\b[^.]{0,40}(?:zugestellt|ausgeliefert|ausgehändigt|übergeben)/i,
    'in_transit',
  ],
  [
    /(?:livré|distribué|remis) (?:à|au|aux) (?:(?:l[’']|la |le )?(?:plate-?forme|centre|d[ée]p[ôo]t|transporteur|partenaire|agence))/i,
    'in_transit',
  ],
  [
    /(?:送达|送至|投递[至到]|妥投[至到]|交付)[^，,。；;]{0,16}(?:网点|分拨中心|转运中心|中转[站场部]|营业部|集散中心|处理中心)/,
    'in_transit',
  ],
  [
    /(?:送达|送至|交付|转交|交由|投递[至到])[^，,。；;]{0,12}(?:代理商?|末端配送商|合作快递|落地配)[^，,。；;]{0,4}[，,]?[^，,。；;]{0,6}(?:派[件送]|配送|转运|继续)/,
    'in_transit',
  ],
];

const NOT_YET =
  /\b(?:not|no|until|before|await\w{0,9}|pending|unable|cannot|once|when|nicht|noch|pas|en attente)\b|未|待|等|无法/i;
/** Customs has let a parcel go. */
const RELEASED: TextRules = [
  [
    /\b(?:released|cleared)\b[^.]{0,40}\b(?:customs|government|regulatory|clearing) ?(?:agency|authorit|office|service)?/i,
    'in_transit',
  ],
  [/\bcleared customs\b|\bcustoms\b[^.]{0,30}\b(?:released|cleared|complete[d]?|finished)\b/i, 'in_transit'],
  [
    /(?:Zoll|Verzollung)[^.]{0,40}(?:freigegeben|abgeschlossen|abgefertigt|beendet)|(?:freigegeben|abgefertigt)[^.]{0,30}Zoll/i,
    'in_transit',
  ],
  [/dédouané|(?:libéré|sorti)[^.]{0,20}douane|dédouanement (?:est )?(?:terminé|effectué)/i, 'in_transit'],
  [/(?:清关|通关|海关|报关)[^，,。；;]{0,8}(?:放行|完成|完毕|通过|结束)/, 'in_transit'],
];

/** What a text says about a return; undefined if it says nothing clear. */
export function returnIn(text: string): Meaning | undefined {
  return meaningByRules(factsOf(text), RETURNS);
}

/**
 * The meaning of a scan after its text has been heard. Codes are coarse in the same three ways everywhere, so this one rule is
 * for all carriers:
 * - on its way back to the sender a parcel is an exception with the course `going_back`; it is `returned` when it is back;
 * - delivered to a depot, or to an agent for onward delivery, it is in transit;
 * - released by customs it is in transit, and not in trouble.
 */
export function heard(meaning: Meaning, text: string): Meaning {
  const { status, course } = meaning;
  if (status === 'info_received') return meaning;
  const facts = factsOf(text);
  // A parcel that waits is not on its way, whatever will happen to it.
  const back = status === 'available_for_pickup' ? undefined : meaningByRules(facts, RETURNS);
  if (back !== undefined) return back;
  if (status === 'delivered') return meaningByRules(facts, ONWARD) ?? meaning;
  const isPlainTrouble = (status === 'exception' || status === 'undeliverable') && course === undefined;
  return isPlainTrouble && !NOT_YET.test(facts) ? (meaningByRules(facts, RELEASED) ?? meaning) : meaning;
}

function factsOf(text: string): string {
  return text.replace(MARKS, '').replace(ADVICE, '').replace(CHINESE_ADVICE, '');
}
