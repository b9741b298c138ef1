/**
 * The most frequent family names, in simplified and traditional characters, and those of two characters. Some also begin words:
 * callers look at what follows.
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

/** Whether a text of two to four Chinese characters looks like the name of a person: a family name and one or two more. */
export function isChineseName(text: string): boolean {
  const family = FAMILY_NAMES_OF_TWO.find((name) => text.startsWith(name)) ?? text.slice(0, 1);
  const given = text.length - family.length;
  if (WORDS.test(text) || isChineseRole(text)) return false;
  return (family.length === 2 || FAMILY_NAMES.includes(family)) && given >= 1 && given <= 2;
}

/** Whether a character is a family name, as in 小陆 or 陆师傅. */
export function isFamilyName(character: string): boolean {
  return character.length === 1 && FAMILY_NAMES.includes(character);
}

/** Who or what may sign, or stand before a phone number, without being a person's name. */
const CHINESE_ROLES =
  /本人|他人|自己|客户|用户|收件|收货|寄件|发件|寄方|家人|家属|朋友|亲友|同事|同学|前台|门卫|保安|物业|邻居|管家|传达|收发|驿站|柜|丰巢|菜鸟|兔喜|代收|代签|自提|超市|便利|商店|小店|门店|店$|服务|网点|快递|快运|物流|站$|部$|点$|室$|处$|中心|公司|学校|仓|邮|草签|图章|盖章|公章|凭|取[件货]码|[码碼]$|转|门口|电话|热线|客服|手机|联系|致电|拨打|咨询|号码|短信|方式|派件|派送|配送|业务|市$|省$|区$|县$|镇$|乡$|村$|街$|路$|巷$|苑$|园$|楼$|城$|岛$|州$|湾$|港$|客戶|用戶|收貨|發件|家屬|親友|同學|前[臺檯]|門衛|警衛|保全|物業|管理|鄰居|管家|傳達|收發|驛站|櫃|豐巢|門市|門店|服務|網點|快遞|速遞|快運|點$|處$|倉|郵|草簽|圖章|蓋章|憑|取[件貨]碼|轉|門口|電話|熱線|手機|聯[絡繫]|致電|撥打|諮詢|號碼|簡訊|業務|區$|縣$|鎮$|鄉$|園$|樓$|島$|灣$/;

export function isChineseRole(text: string): boolean {
  return CHINESE_ROLES.test(text);
}
