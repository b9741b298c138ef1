/** Advice and conditions ("if you are not at home, it will be returned to the sender") have not happened. */
const ADVICE =
  /(?:\b(?:if|unless|otherwise|in case|before|until|to avoid|or (?:else )?(?:it|they|the [a-z]{1,12}|your [a-z]{1,12}) (?:will|may)|(?:when|once|as soon as) (?:it|the [a-z]{1,12}|your [a-z]{1,12}) (?:is|has|arrives)|falls|wenn|sollte|sofern|andernfalls|ansonsten|sonst|sinon)|à défaut)\b[^.;!]{0,1000}/gi;
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
  /\breturn(?:ing|ed|s)? from (?:the )?(?:delivery|round)\b|\b(?:return(?:ed|ing|s)?|brought|taken|sent|going|coming) (?:back )?(?:to|at|in) (?:the |our |a |its )?(?!(?:[a-z]{1,20} ){0,2}(?:origin|sender|shipper|seller|merchant|consignor)\b)(?:[a-z]{1,20} ){0,2}(?:depot|hub|terminal|station|facility|office|warehouse|cent(?:re|er)|branch|courier|driver|van|vehicle)\b|\breturn(?: to (?:the )?(?:sender|shipper))?(?: request)? (?:has been |was |is )?cancell?ed\b|\bcancell?ed the return\b(?! (?:label|shipment))|\b(?:notification|notice|e-?mail|message|request|information|label|confirmation|alert|inquiry|invoice) (?:has been |was |is |being )?(?:sent|forwarded|delivered|transmitted) to (?:the |its |your )?(?:original )?(?:sender|shipper|seller|merchant|consignor)\b/gi;

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
  /\b(?:if|unless|otherwise|in case|before|until|avoid|or|when|once|as soon|falls|wenn|sollte|sofern|andernfalls|ansonsten|sonst|sinon|return\w{0,4}|sent|nach|back|brought|taken|going|coming|defaut)\b|à défaut|cancel/i;

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

const KANA = /[\u3041-\u30ff]/;
/** Words in Kanji that Chinese texts do not have, and those that Japanese texts do not have. */
const JAPANESE =
  /配達(?![站所])|引受|持戻|持出|通関|差出人|受取|返送|荷物|受付|保管中|^保管$|返品|完了|^ご?不在$|^通過$|輸送中|発送|出荷|投函|住所|調査中|紛失|長期不在|[発伝転検価売帰軽駅対済継戻込経続総払気様権毎満県録遅変営関宛]/;
const NOT_JAPANESE = /[您们們请請这這么吗已还還]|寄件|包裹|[快货貨]件|[门門]市|取件|[卖賣买買]家/;

export function isJapanese(text: string): boolean {
  return KANA.test(text) || (JAPANESE.test(text) && !NOT_JAPANESE.test(text));
}
