/** Values that are public anyway: the number of the parcel, and the place of the scan. */
type Public = { number: string; location: string };

/**
 * A carrier's text without what identifies people: names of couriers and recipients, phone numbers, e-mail addresses,
 * and the codes that open lockers. Places, dates, numbers of parcels and the carriers' own hotlines stay. What is
 * ambiguous is masked.
 */
export function maskText(text: string, { number, location }: Public): string {
  const plain = maskCodes(maskContacts(text, number));
  return maskLatinNames(maskOtherNames(maskChineseNames(plain)), location);
}

/** A place as a carrier wrote it, without phone numbers and e-mail addresses. */
export function maskPlace(location: string, number: string): string {
  return maskContacts(location, number);
}

/** Replacement for a name, a number or a code that was removed. */
export const MASK = '•••';

/**
 * Masks what follows a label. Labels may follow each other, so what follows one is looked at without being consumed.
 * @param label a global pattern.
 * @param read what is to be masked in the text after the label: from where, and how many characters. Null: nothing.
 */
function maskAfter(
  text: string,
  label: RegExp,
  read: (rest: string, found: string) => { at: number; length: number } | null,
): string {
  let result = '';
  let copied = 0;
  for (const match of text.matchAll(label)) {
    const end = match.index + match[0].length;
    if (end < copied) continue;
    const part = read(text.slice(end, end + LONGEST), match[0]);
    if (part === null) continue;
    result += text.slice(copied, end + part.at) + MASK;
    copied = end + part.at + part.length;
  }
  return result + text.slice(copied);
}

/** Names end long before. */
const LONGEST = 100;

const EMAIL = /[\w.+-]{1,64}[@＠][\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g;

/** Forms of phone numbers; `isKept` decides about each match. The first form that fits counts. */
const PHONES: readonly RegExp[] = [
  // +49 170 1234567, 0049 170 1234567
  /(?<!\w)(?:\+ ?[1-9]|00[1-9](?=\d{0,2}[ .-]))\d{0,2}(?:[ .()/-]{0,2}\d){6,12}(?!\d)/g,
  // 138 1234 5678, 138****5678
  /(?<!\d)1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)/g,
  /(?<!\d)1[3-9]\d{0,2}[*＊×]{2,8}\d{0,4}(?!\d)/g,
  // 0571-88886666, 07700 900123, 06 12 34 56 78, 030/1234567, 090-1234-5678
  /(?<![\d./-])(?:\(0\d{1,4}\)|0\d{1,4})(?:[ ./-]{1,2}\d{2,8}){1,5}(?!\d)/g,
  // (555) 123-4567, 555.123.4567
  /(?<![\d-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-])/g,
  // (11) 91234-5678
  /\(\d{2}\) ?\d{4,5}-\d{4}(?!\d)/g,
  // 07700900123
  /(?<!\d)0[1-9]\d{8,9}(?!\d)/g,
];

/** Any digits after a word that announces a phone number. */
const ANNOUNCED =
  /(?<word>tel\.?|t[ée]l[ée]?phone|phone|call|mobile|mob\.|cell|whatsapp|telefono|tel[ée]fono|telefone|telefon|rufnummer|handy|电话|手机|致电|联系|拨打|電話|携帯|전화|연락처|هاتف|جوال|тел\.?|телефон[уа]?|sđt|điện thoại|โทร)(?<gap>[^\d•\n]{0,12})(?<digits>\d(?:[ ()./-]{0,2}\d){6,14})(?!\d)/giu;

/** Numbers of services that are free or cost the same everywhere: carriers' hotlines. */
const HOTLINE = /^(?:1?(?:800|888|877|866|855|844|833)\d{7}|400\d{7}|0?800\d{5,8}|0?(?:845|844|870|871|330|345)\d{7})$/;

/** A day in figures among the parts of a number: `04.03.2031`, `2031-03-04`. */
function hasDay(parts: readonly string[]): boolean {
  const isYear = (part = '') => /^(?:19|20)\d\d$/.test(part);
  const isShort = (part = '') => part.length <= 2 && part !== '';
  return parts.some(
    (part, n) =>
      isShort(parts[n + 1]) && ((isYear(part) && isShort(parts[n + 2])) || (isShort(part) && isYear(parts[n + 2]))),
  );
}

/** Without phone numbers and e-mail addresses; the parcel's own number, dates and hotlines stay. */
function maskContacts(text: string, number: string): string {
  const replace = (match: string) => (isKept(match, number) ? match : MASK);
  const plain = PHONES.reduce((masked, phone) => masked.replace(phone, replace), text.replace(EMAIL, MASK));
  return plain.replace(ANNOUNCED, (match, word: string, gap: string, digits: string) =>
    isKept(digits, number) ? match : `${word}${gap}${MASK}`,
  );
}

const FEWEST_DIGITS = 9;

function isKept(match: string, number: string): boolean {
  const digits = match.replace(/\D/g, '');
  if (/[*＊×]/.test(match)) return false;
  const isShort = digits.length < FEWEST_DIGITS && match.startsWith('0');
  return isShort || digits === number || HOTLINE.test(digits) || hasDay(match.split(/\D{1,3}/));
}

/** Codes that open a locker, and what announces them. */
const CODES =
  /(?<word>取[件货貨][码碼]|提[货貨件][码碼]|[验驗][证證][码碼]|[开開][箱柜櫃锁鎖][码碼]|密[码碼]|(?:pick[ -]?up|collection|access|security|locker|door|unlock|opening|release|verification|one-time) (?:code|pin|password)|\bpin(?:[ -]?code)?\b|\botp\b|code de retrait|abhol-?code|öffnungscode|\bm?tan\b|c[óo]digo de (?:recogida|retirada|retiro)|codice di ritiro|kod odbioru|受取コード|暗証番号|인증번호|비밀번호|код (?:для )?(?:получения|выдачи|отримання|видачі)|пин-?код|пароль|mã (?:nhận hàng|mở tủ|otp|pin|xác nhận)|รหัส(?:รับพัสดุ|รับสินค้า|เปิดตู้|ผ่าน|otp| otp)?)(?<gap>[^\p{L}\p{N}]{0,4}(?:(?:is|ist|est|es|[是为為는은]|là|คือ)[^\p{L}\p{N}]{0,3})?)(?<code>\d{2,4}(?: \d{2,4}){1,3}(?![\d:./-])|[A-Z0-9][A-Z0-9-]{2,15})/giu;
const SHELF = /(?<word>[凭憑][“"【「 ]{0,2})(?<code>\d[\d-]{2,12})(?=[”"】」 ]{0,2}[码碼]?(?:取|[领領]|到|前往))/gu;

/** Without the codes with which anybody could pick up the parcel. */
function maskCodes(text: string): string {
  return text
    .replace(CODES, (match, word: string, gap: string, code: string) =>
      /\d/.test(code) ? `${word}${gap}${MASK}` : match,
    )
    .replace(SHELF, (_match, word: string) => `${word}${MASK}`);
}

/** Words before the name of a courier, a signer or a customer. */
const LABEL =
  /快[递遞]小哥|(?:[快速][递遞]|派件|派送|配送|[业業][务務]|投[递遞]|[揽攬]投|[揽攬]收|[揽攬]件|收件|取件|收派)[员員]|小哥|[骑騎]手|司[机機]|(?:收件|收[货貨]|寄件|[联聯][系絡繫]|[签簽]收|派件|派送|[揽攬]收|代收)人|客[户戶]|用[户戶]/gu;
/** Text between a word of `LABEL` and a name. */
const GAP = /^[\s:：是为為，,【[（(“"「]{0,4}/u;
/** Text that follows a name. */
const NEXT =
  /^(?:正在|已|[为為][您你]|[将將]|派|[揽攬]|送|取|[电電][话話]|手[机機]|本人|代?[签簽]收|完成|完[毕畢]|的|[来來]|[师師]傅|先生|女士|小姐|[-，,。；;、】」\]）)”"\s•]|$)/u;

/** A Chinese text without the names of people. Phone numbers are masked before. */
function maskChineseNames(text: string): string {
  if (!/\p{Script=Han}/u.test(text)) return text;
  const withoutOwners = text.replace(/(\p{Script=Han}{2,12})([，,、:：\s（(【/-]{0,3})•••/gu, besidePhone);
  return maskAfter(withoutOwners, LABEL, nameAfter)
    .replace(
      /[小老阿](\p{Script=Han})(?=正在|已|派|完|[为為][您你]|[将將]|[师師]傅|[-】」，,。\s]|$)/gu,
      (match, family: string) => (isFamilyName(family) ? MASK : match),
    )
    .replace(/(\p{Script=Han})(?=[师師]傅|先生|女士|小姐|老[师師]|阿姨)/gu, (family: string) =>
      isFamilyName(family) ? MASK : family,
    )
    .replace(/(?<=由[【“「]?)(\p{Script=Han}{2,4}?)(?=[】”」]?(?:代?[签簽]收|代收|[领領]取|取走))/gu, (name: string) =>
      isChineseName(name) ? MASK : name,
    )
    .replace(/(?<=-)\p{Script=Han}{2,3}(?=-(?:已|正))/gu, (name) => (isChineseName(name) ? MASK : name));
}

/**
 * After a colon or in brackets, whatever is short and no role; otherwise only what looks like a name and ends like one.
 */
function nameAfter(rest: string): { at: number; length: number } | null {
  const gap = GAP.exec(rest)?.[0] ?? '';
  const following = rest.slice(gap.length);
  const run = /^[\p{Script=Han}·]{1,12}/u.exec(following)?.[0] ?? '';
  if (run === '') return null;
  if (/[:：是为為【[（(“"「]/u.test(gap)) {
    const statement = /^[^，,。；;\s】」\]）)”"•]{1,40}/u.exec(following)?.[0] ?? run;
    if (isChineseRole(statement)) return null;
    return { at: gap.length, length: run.length <= 4 ? run.length : lengthOfName(following, run) };
  }
  const length = lengthOfName(following, run);
  return length === 0 ? null : { at: gap.length, length };
}

function lengthOfName(following: string, run: string): number {
  const fits = (length: number) => isChineseName(run.slice(0, length)) && NEXT.test(following.slice(length));
  return [4, 3, 2].find((length) => run.length >= length && fits(length)) ?? 0;
}

/** The name before a phone number: the end of what stands there, or all of it if that is short. */
function besidePhone(match: string, run: string, gap: string): string {
  const length = [4, 3, 2].find((each) => run.length >= each && isChineseName(run.slice(-each)));
  if (length !== undefined) return `${run.slice(0, -length)}${MASK}${gap}${MASK}`;
  return run.length > 4 || isChineseRole(run) || /[员員人是为為询詢]$|[请請可]/u.test(run)
    ? match
    : `${MASK}${gap}${MASK}`;
}

/**
 * The most frequent family names, in simplified and traditional characters, and those of two characters. Some also
 * begin words: callers look at what follows.
 */
const FAMILY_NAMES =
  '王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付傅邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔白汤康施尤洪阎柯欧单骆岑滕甘廉' +
  '張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭葉蘇魏呂盧崔鍾譚陸賈韋範鄒閻錢嚴龍賀顧龔萬湯歐單駱蔣';
const FAMILY_NAMES_OF_TWO = [
  '欧阳',
  '歐陽',
  '司马',
  '司馬',
  '诸葛',
  '諸葛',
  '上官',
  '司徒',
  '东方',
  '皇甫',
  '令狐',
  '慕容',
  '尉迟',
];

/** Words that begin like a name. */
const WORDS =
  /^(?:[马馬]上|[单單][号號]|任何|任[务務]|周[一二三四五六日末边邊]|白天|[万萬]一|金额|[黄黃]金|石化|毛重|[单單][独獨]|方便)/;

/**
 * Whether a text of two to four Chinese characters looks like the name of a person: a family name and one or two more.
 */
function isChineseName(text: string): boolean {
  const family = FAMILY_NAMES_OF_TWO.find((name) => text.startsWith(name)) ?? text.slice(0, 1);
  const given = text.length - family.length;
  if (WORDS.test(text) || isChineseRole(text)) return false;
  return (family.length === 2 || FAMILY_NAMES.includes(family)) && given >= 1 && given <= 2;
}

/** Whether a character is a family name, as in 小陆 or 陆师傅. */
function isFamilyName(character: string): boolean {
  return character.length === 1 && FAMILY_NAMES.includes(character);
}

/** Who or what may sign, or stand before a phone number, without being a person's name. */
const CHINESE_ROLES =
  /本人|他人|自己|客户|用户|收件|收货|寄件|发件|寄方|家人|家属|朋友|亲友|同事|同学|前台|门卫|保安|物业|邻居|管家|传达|收发|驿站|柜|丰巢|菜鸟|兔喜|代收|代签|自提|超市|便利|商店|小店|门店|店$|服务|网点|快递|快运|物流|站$|部$|点$|室$|处$|中心|公司|学校|仓|邮|草签|图章|盖章|公章|凭|取[件货]码|[码碼]$|转|门口|电话|热线|客服|手机|联系|致电|拨打|咨询|号码|短信|方式|派件|派送|配送|业务|市$|省$|区$|县$|镇$|乡$|村$|街$|路$|巷$|苑$|园$|楼$|城$|岛$|州$|湾$|港$|客戶|用戶|收貨|發件|家屬|親友|同學|前[臺檯]|門衛|警衛|保全|物業|管理|鄰居|管家|傳達|收發|驛站|櫃|豐巢|門市|門店|服務|網點|快遞|速遞|快運|點$|處$|倉|郵|草簽|圖章|蓋章|憑|取[件貨]碼|轉|門口|電話|熱線|手機|聯[絡繫]|致電|撥打|諮詢|號碼|簡訊|業務|區$|縣$|鎮$|鄉$|園$|樓$|島$|灣$/;

function isChineseRole(text: string): boolean {
  return CHINESE_ROLES.test(text);
}

/** Words after which the name of a signer or a neighbour follows. */
const SIGNED =
  /\b(?:sign(?:ed|ature)(?: for)?(?: by| of)?|signatory|signee|received by|accepted by|collected by|picked up by|taken in by|left with|handed to|delivered to|consignee|recipient|receiver|neighbou?r|contact(?: person)?|unterschrift|unterschrieben von|unterzeichnet von|empfangen von|angenommen von|abgeholt von|übergeben an|zugestellt an|nachbar[ni]{0,2}|empfänger|sign[ée] par|reçu par|remis à|r[ée]ceptionnaire|signataire|voisine?|firmado por|recibido por|entregado a|vecin[oa]|firmato da|ricevuto da|consegnato a|vicin[oa]|assinado por|recebido por|entregue a|vizinh[oa]|getekend door|ontvangen door|podpisane? przez|odebrane? przez)(?!\p{L})/giu;

/** Words after which the name of a courier follows. */
const COURIER =
  /\b(?:courier|driver|postman|rider|delivery (?:man|person|associate)|zusteller(?:in)?|fahrer(?:in)?|kurier|livreur|chauffeur|facteur|repartidor|mensajero|conductor|corriere|autista|postino|entregador|motorista|estafeta|bezorger)(?:(?: is| ist| est| es| è| é|,? named| name|name)(?!\p{L}))?(?!\p{L})/giu;
/** The courier of a parcel that is out: `Out for delivery from Hazelford with Mira Solano`. */
const OUT_WITH = /\b(?:out for delivery|on vehicle)\b[^.;:]{0,60}?\bwith\b/giu;

const HONORIFIC = /\b(?:herrn?|frau|mr|mrs|ms|mme|mlle|monsieur|madame|sra|srta|señora?|sig|signora?|dhr|mevr)\b\.?/giu;

/** One word of a name: `J`, `J.`, `SMITH`, `J.SMITH`, `O'Neil`, `Anne-Marie`. */
const WORD = /^\p{Lu}[\p{L}'’-]{0,30}(?:\.\p{L}[\p{L}'’-]{0,30}){0,3}\.?(?![\p{L}\p{N}])/u;
/** A letter that is a word as well counts only before a name: `A. SMITH`, not `A NEIGHBOUR`. */
const INITIAL = /^\p{Lu}\.?$/u;
/** Particles within names. */
const PARTICLE = /^(?:van|von|der|den|de|del|della|di|da|dos|la|le|bin|al)(?= )/i;
const FIRST_PARTICLES = /^(?:van|von|de|del|di|da|al) (?:(?:der|den|la|le) )?\p{Lu}/u;
const MAX_WORDS = 4;

/**
 * A text in Latin letters without the names of people. Phone numbers are masked before.
 * @param location the place of the scan, whose words are no names.
 */
function maskLatinNames(text: string, location: string): string {
  if (!/\p{Script=Latin}/u.test(text)) return text;
  const isShouted = !/\p{Ll}/u.test(text);
  const places = wordsOf(location);
  /** In capitals throughout, a word after a label may be any word, unless a colon says that it is a name. */
  const labelled = (rest: string) => {
    const gap = /^\s{0,2}[:：,–-]?\s{0,2}/u.exec(rest)?.[0] ?? '';
    if (gap === '' || (isShouted && !/[:：]/.test(gap) && !isInitialAndName(rest.slice(gap.length)))) return null;
    const length = lengthOfLatinName(rest.slice(gap.length), places);
    return length === 0 ? null : { at: gap.length, length };
  };
  const withoutOwners = text.replace(
    /((?:\p{Lu}[\p{L}'’-]{0,30} ){0,2}\p{Lu}[\p{L}'’-]{1,30})([,:]? ?\(?)•••/gu,
    (match, name: string, gap: string) => (isName(name, places) ? `${MASK}${gap}${MASK}` : match),
  );
  const labels = [SIGNED, COURIER, OUT_WITH, HONORIFIC];
  return labels.reduce((masked, label) => maskAfter(masked, label, labelled), withoutOwners);
}

function isInitialAndName(text: string): boolean {
  return /^\p{Lu}\.? \p{Lu}/u.test(text);
}

/** How many characters of a text are a name: its first words that begin with capitals and are no roles or places. */
function lengthOfLatinName(text: string, places: ReadonlySet<string>): number {
  let length = 0;
  let at = 0;
  for (let words = 0; words < MAX_WORDS; words++) {
    const rest = text.slice(at);
    const particle = at > 0 || FIRST_PARTICLES.test(rest) ? PARTICLE.exec(rest)?.[0] : undefined;
    const word = particle ?? WORD.exec(rest)?.[0];
    if (word === undefined) break;
    if (particle === undefined && (isName(word, places) || !INITIAL.test(word))) {
      if (!isName(word, places)) break;
      length = at + word.replace(/\.$/, rest[word.length] === ' ' ? '.' : '').length;
    }
    at += word.length;
    if (text[at] !== ' ') break;
    at += 1;
  }
  return length;
}

function isName(words: string, places: ReadonlySet<string>): boolean {
  return words
    .split(' ')
    .map((word) => word.replace(/\.$/, ''))
    .every((word) => !isLatinRole(word) && !places.has(word.toLowerCase()));
}

function wordsOf(location: string): ReadonlySet<string> {
  return new Set(location.toLowerCase().split(/[^\p{L}'’-]{1,20}/u));
}

/** Words in Latin letters that stand where names do. */
const LATIN_ROLES = new Set(
  `the a an your our his her their its this that you it us me
  recipient receiver addressee consignee customer client resident neighbour neighbor reception receptionist security
  concierge doorman porter agent sender shipper consignor courier driver carrier postman rider front desk mailroom mail
  room household member family employee colleague office dock manager owner tenant adult person someone another other
  customs depot hub center centre facility warehouse terminal station branch shop store locker parcel package packet
  shipment item letter post postal service services express logistics delivery partner point counter airport port gate
  mailbox porch door garage shed safe place and or of in on at to for from with by is was has have will be being been
  not no yes via per as who which number no. order reference tracking signature proof electronic image recorded
  required obtained waived available today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday
  january february march april may june july august september october november december
  dhl ups fedex usps gls dpd tnt ems evri hermes yodel postnord correos aramex inpost purolator ontrac lasership amazon
  postnl bpost delhivery cdek correios jtexpress
  call phone telephone mobile cell contact tel please hotline support help team ask whatsapp
  code pin pin-code otp tan mtan abholcode abhol-code abhol-pin
  out left arrived departed delivered attempted assigned dispatched collected picked up unable could couldn't can cannot
  cancelled canceled rejected requested scheduled accepted returned notified completed started waiting nearby held moved
  on off en route loaded unloaded scanned processed sorted cleared released received signed handed transferred failed
  no-one nobody none unknown self direct
  royal canada australia deutsche poste poczta la swiss singapore hong kong japan china yunda sf zto yto
  dem den der die das des ein eine einem einen im am zum zur und oder auf für mit von bei nach vor wurde wird ist hat
  empfänger empfängerin absender absenderin nachbar nachbarn nachbarin filiale packstation paketshop zusteller zustellerin
  kurier fahrer fahrerin person bevollmächtigten hausbewohner mitbewohner
  le les un une du de et ou votre son sa ses destinataire expéditeur voisin voisine gardien gardienne accueil facteur
  livreur point relais bureau guichet client cliente tiers
  el los las una unos y o su sus destinatario destinataria remitente vecino vecina portero conserje recepción oficina
  il lo gli uno e suo mittente vicino vicina portiere ufficio titolare
  người nhận bưu tá sđt đt
  o os as um uma seu sua destinatário destinatária remetente vizinho vizinha porteiro portaria`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Whether a word in Latin letters is a role, a place of the carrier or a function word, not part of a name. */
function isLatinRole(word: string): boolean {
  return LATIN_ROLES.has(word.toLowerCase());
}

/** Names after words that announce one, in a language. */
type Labelled = {
  label: RegExp;
  /** Text between the label and a name. */
  gap: RegExp;
  name: RegExp;
  /** How anything but a name begins. */
  role: RegExp;
};

const COLON = /^\s?[:：]\s?/;
const NOBODY = /(?!)/;

const KOREAN_ROLE =
  /^[가-힣]{0,3}(?:고객|본인|가족|경비|관리|이웃|회사|문앞|무인|직접|연락|배송|배달|방문|수취|수령|위탁|동료|대리|기사|부재|주소|보관|회원|정보|확인|요청|거부)/u;

const CYRILLIC_LABEL =
  /(?<!\p{L})(?:получател[ья]|получил[аи]?|получено(?: от)?|принял[аи]?|вручено|выдано|подпис(?:ь|ал[аи]?|ано)|курьер(?:у|ом)?|водител[ья]|почтальон|сосед(?:у|ке)?|контактное лицо|одержувач|отримувач|отримав|отримала|підпис|кур['’ʼ]єр|водій|листоноша|куриер|шофьор)(?!\p{L})/giu;
const CYRILLIC_ROLE =
  /^(?:получател|адресат|сосед|лично(?!\p{L})|охран|консьерж|секретар|член|родствен|представител|сотрудник|оператор|курьер|отправител|почт|отделени|пункт|постамат|магазин|склад(?!\p{L})|сортировоч|офис|компани|служб|доставк|сдэк|яндекс|озон(?!\p{L})|нов(?:а|ая|ой) по[шч]т|укрпошт|отказ|довер|одержувач|отримувач|сусід|особист|відправник|відділен|поштомат|довірен|кур['’ʼ]єр)/iu;
const VIETNAMESE_LABEL =
  /(?<!\p{L})(?:người (?:ký )?nhận(?: hàng)?|ký nhận(?: bởi)?|nhận bởi|chữ ký|giao cho|phát cho|shipper|nhân viên(?: giao hàng| giao nhận| phát)?|bưu tá|tài xế)(?!\p{L})/giu;
const VIETNAMESE_ROLE =
  /^(?:người|bảo vệ|lễ tân|gia đình|hàng xóm|khách|bưu|nhân viên|chính chủ|đã|đang|không|chưa|sẽ|kho|trạm|trung tâm|chi nhánh|công ty|văn phòng|đơn vị|đối tác|giao|nhận|viettel|ninja|shopee|lazada|tiki|grab)(?!\p{L})/iu;
const THAI_ROLE =
  /^(?:ตัวเอง|ตนเอง|ด้วยตนเอง|ญาติ|ครอบครัว|รปภ|พนักงาน|เจ้าหน้าที่|เพื่อน|นิติบุคคล|ผู้|แม่บ้าน|ร้าน|คนในบ้าน|บุคคลอื่น|ลูกค้า|ไม่|ได้|กำลัง|สาขา|ศูนย์)/u;

const LABELLED: readonly Labelled[] = [
  {
    label: /배송기사|택배기사|배달기사|배달원|집배원|담당자|수령인|인수자|수취인|받는 ?분|받으신 ?분/gu,
    gap: /^[\s:：(（]{1,3}/,
    name: /^[가-힣]{2,4}(?![가-힣])/u,
    role: KOREAN_ROLE,
  },
  {
    label: /受取人|受領者|受領印|サイン|署名|配達員|ドライバー/gu,
    gap: COLON,
    name: /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]{1,8}/u,
    role: /^[\p{L}ー]{0,7}(?:本人|家族|宅配|管理|受付|会社|ボックス|営業|不在|代理)/u,
  },
  {
    label: /المستلم|اسم المستلم|وقّع|استلمها|استلمه|المندوب|السائق/gu,
    gap: COLON,
    name: /^\p{Script=Arabic}{2,15}(?: \p{Script=Arabic}{2,15}){0,2}/u,
    role: NOBODY,
  },
  {
    label: CYRILLIC_LABEL,
    gap: /^\s?[:：(–-]\s?/,
    name: /^(?=\p{Script=Cyrillic})\p{Lu}[\p{L}.-]{0,30}(?: \p{Lu}[\p{L}.-]{0,30}){0,3}/u,
    role: CYRILLIC_ROLE,
  },
  // Without a colon, a text in capitals throughout may go on with any word.
  {
    label: CYRILLIC_LABEL,
    gap: /^ /,
    name: /^(?=\p{Script=Cyrillic})(?:\p{Lu}\. ?){0,2}\p{Lu}\p{Ll}{1,30}(?:[ -]\p{Lu}(?:\p{Ll}{1,30}|\.(?: ?\p{Lu}\.)?)){0,3}(?!\p{L})/u,
    role: CYRILLIC_ROLE,
  },
  {
    label: VIETNAMESE_LABEL,
    gap: /^\s?[:：(–-]\s?(?:(?:anh|chị|ông|bà) )?/i,
    name: /^\p{Lu}[\p{L}\p{M}]{0,12}(?: \p{Lu}[\p{L}\p{M}]{0,12}){0,4}/u,
    role: VIETNAMESE_ROLE,
  },
  {
    label: VIETNAMESE_LABEL,
    gap: /^ (?:(?:anh|chị|ông|bà) )?/,
    name: /^\p{Lu}[\p{Ll}\p{M}]{1,12}(?: \p{Lu}[\p{Ll}\p{M}]{0,12}){0,4}(?!\p{L})/u,
    role: VIETNAMESE_ROLE,
  },
  {
    label:
      /ผู้รับ(?:สินค้า|พัสดุ)?|ผู้เซ็นรับ|เซ็นรับ|รับ(?=โดย)|ลงนาม|ลงชื่อ|พนักงาน(?:จัดส่ง|นำจ่าย|ขนส่ง)?|คนขับ|ไรเดอร์|บุรุษไปรษณีย์|ผู้นำจ่าย/gu,
    gap: /^(?:โดย\s?|\s?[:：(-]\s?|\s?(?=คุณ|นาย|นาง|น\.ส\.))/u,
    name: /^(?:น\.ส\. ?)?\p{Script=Thai}{2,25}(?: (?!โทร|เบอร์)\p{Script=Thai}{2,25})?/u,
    role: THAI_ROLE,
  },
];

/** A text in another script, or in Vietnamese, without the names of people. */
function maskOtherNames(text: string): string {
  return LABELLED.reduce(
    (masked, { label, ...rules }) => maskAfter(masked, label, (rest) => labelled(rest, rules)),
    text,
  )
    .replace(/[가-힣]{2,4}(?=님(?:께서|께|이|의|은|을|에게)?(?![가-힣]))/gu, (name) =>
      KOREAN_ROLE.test(name) ? name : MASK,
    )
    .replace(/\p{Script=Han}{1,4}(?=様)/gu, (name) => (/[客人先者主皆模同多仕異]$/u.test(name) ? name : MASK));
}

function labelled(rest: string, { gap, name, role }: Omit<Labelled, 'label'>) {
  const before = gap.exec(rest)?.[0];
  if (before === undefined) return null;
  const following = rest.slice(before.length);
  const found = name.exec(following)?.[0];
  return found === undefined || role.test(following) ? null : { at: before.length, length: found.length };
}
