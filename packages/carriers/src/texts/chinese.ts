import { EXCEPTION_FAMILY, type ScanStatus } from '@pts/core/tracking/status';
import { meaningOfEnglish } from './english.ts';
import { factsOf } from './facts.ts';
import { type Entry, type Meaning, meaningByTable, type Phrase, says } from './meaning.ts';

/** A courier took it out of a locker or a shop, which it left too late, or to deliver it again. */
const TAKEN_OUT =
  /(?:快递员|派件员|业务员|配送员|投递员|揽投员|管理员|工作人员|小哥)[^，,。；;]{0,10}取[出走回]|(?:超时|逾期|超期|过期)[^。；;将会请付费客收您]{0,20}(?<!未)取[出回]|(?<!(?:客户|用户|收件人|本人|您)[^，,。；;]{0,4})已?从[^，,。；;]{0,12}(?:驿站|柜|丰巢|菜鸟|兔喜|代收点|自提|超市|便利店|服务站|邮站|快递点|门店)[^，,。；;]{0,4}取回|取[出走回][^。；;]{0,6}(?:(?:重新|二次|再次)[^，,。；;]{0,4}[派投配]|转[至到往入])|已退柜/;
/** The text goes on to say that it was delivered after all. */
const AFTER_ALL = /已(?:[^，,。；;]{0,4}签收|[^，,。；;]{0,2}上门)|签收人|(?:本人|客户)签收|妥投/;

/** Whether a courier took a parcel out of a locker again; the text is without advice. */
export function saysTakenOut(facts: string): boolean {
  return TAKEN_OUT.test(facts) && !AFTER_ALL.test(facts);
}

/** Signed by the recipient, or left at their door. */
// biome-ignore format: one entry per line is readable as a table
const COLLECTED: readonly Phrase[] = [
  [/取[件货]码签收|凭码/, '签收人凭取货码签收'],
  [/本人签收|签收人[^，,。；;]{0,6}(?:本人|客户|收件人|取[件货]码)/, '由本人签收'],
  [/家门口|(?:放|投递?)(?:在|至|到|入|进)?[^，,。；;]{0,6}(?:门口|信报箱|信箱|奶箱)/, '放在门口鞋架上'],
  [/[领取]走|已(?:领取|取[件出]|自取)(?!码)|完成(?:取件|领取)/, '凭码领走'],
  [/(?:客户|用户|收件人|本人|您)(?:已|从|在)(?:(?![待未，,。；;]).){0,16}(?:取[件出回]|领取|提取)/, '您已在云溪驿站取件'],
  [/签收人在[^，,。；;]{0,80}领取/, '签收人在梧桐街丰巢柜领取'],
];

/** Sentences that say that the recipient has the parcel. */
export const COLLECTED_EXAMPLES = COLLECTED.map(([, example]) => example);
/** Taken out of a locker or a shop, and not by a courier, who delivers it again. */
const TAKEN_FROM_POINT =
  /(?<!员[^，,。；;]{0,4})已从[^，,。；;]{0,12}(?:驿站|柜|丰巢|菜鸟|兔喜|代收点|自提|超市|便利店|服务站|邮站|快递点|门店)[^，,。；;]{0,4}(?:取[出走]|领取)/;
/** A place in the name of the signer. */
const SIGNER_IS_POINT =
  /签收人[^，,。；;]{0,14}(?:驿站|柜|丰巢|菜鸟|兔喜|代收点|自提|超市|便利店|服务站|邮站|快递点|门店)/;
/** Signed by someone near the recipient. */
const TAKEN_IN =
  /(?:家人|同事|前台|门卫|保安|物业|邻居|他人)代?签?收|签收人(?:[:：]|是|为)?[^，,。；;]{0,4}(?:家人|同事|前台|门卫|保安|物业|邻居|室友|朋友)/;
/** Kept for the recipient by a locker, a shop or a station. */
const KEPT =
  /(?:驿站|柜|丰巢|菜鸟|兔喜|代收点|自提|超市|便利店|服务站|邮站|快递点|门店)[^，,。；;]{0,40}代签收|代收|暂存|待取|(?:存|放|投|送)[至到入进在达][^，,。；;]{0,30}(?:驿站|柜|丰巢|菜鸟|兔喜|代收点|自提|超市|便利店|服务站|邮站|快递点|门店)|请[^，,。；;]{0,8}(?:取[件货走]|领取)|取[件货]码/;
const SIGNER = /签收人(?:[:：]|是|为)/;
const RETURNED =
  /(?:退[回件货]|退签)[^，,。；;]{0,16}(?:签收|妥投|已送达)|已退签|签收人[^，,。；;]{0,6}(?:寄件人|发件人|寄方)|(?:寄件人|卖家|商家)(?:本人)?已取退|成功退回[^，,。；;]{0,4}(?:寄件人|发件人|寄方|卖家|商家)/;

/**
 * The statement of a text about a signature: the recipient has the parcel, someone keeps it for them, or it is back at
 * the sender.
 * @returns null if it does not say.
 */
export function signedBy(text: string): ScanStatus | null {
  const facts = factsOf(text);
  if (RETURNED.test(facts)) return 'returned';
  // Requests to the recipient have not happened.
  const done = facts.replace(/[请可待需][^，,。；;！!]*/g, '');
  if (saysTakenOut(facts)) return 'in_transit';
  if (says(done, COLLECTED) || TAKEN_FROM_POINT.test(done)) return 'delivered';
  if (SIGNER_IS_POINT.test(facts)) return 'available_for_pickup';
  if (TAKEN_IN.test(facts)) return 'delivered';
  if (KEPT.test(facts)) return 'available_for_pickup';
  if (SIGNER.test(facts)) return 'delivered';
  const inEnglish = meaningOfEnglish(facts)?.status;
  return inEnglish === 'returned' || inEnglish === 'available_for_pickup' ? inEnglish : null;
}

/** Whether a courier took a parcel out of a locker again. */
export function isTakenOut(text: string): boolean {
  return saysTakenOut(factsOf(text));
}

/** The text goes on to say where the parcel was left, or who delivers it instead. */
const GOES_ON = /签收|妥投|取走|代收|驿站|自提|柜|已[放转]|更正|修改/;
const CANCELLED =
  /(?:订单|运单|揽[收件]|取件)(?:任务)?已?被?(?:取消|撤销)|(?:取消|撤销)(?:订单|运单|下单|揽[收件]|寄件|发货)|揽[收件](?:失败|异常|不成功)/;

const PLAN = /^预计[^，,。；;]{0,20}(?:送达|到达|抵达)/;

/**
 * Rules for the text of a scan without a specific code; the first rule that matches decides. Signed is read narrowly,
 * because texts also ask receivers to get ready to sign; what is only announced has not happened. Each rule has a
 * sentence for it.
 */
// biome-ignore format: one entry per line is readable as a table
export const CHINESE: readonly Entry[] = [
  // A plan is information: it decides nothing.
  ['info_received', PLAN, '预计明天送达云溪'],
  ['returned', RETURNED, '退回件已签收'],
  ['delivered', /(?:最终|最后)签收/, '派件异常后最终签收'],
  ['refused', /拒收|拒签|拒绝(?:签收|收[件货]|接收)/, '收件人拒绝签收'],
  // Back at the outlet that delivers it, it is not on its way to the sender.
  ['failed_attempt', /未(?:按约定|按时|及时)?(?:自提|取件)[^。；;]{0,8}将退/, '收件人未按约定自提，将退运'],
  ['returning', /退回(?!(?!发件|寄件|始发|原|揽)[^，,。；;]{0,4}(?:网点|营业部))|退件|退签|退货/, '快件退回中'],
  ['in_transit', /(?:撤销|取消|作废)[^，,。；;]{0,4}签收|签收[^，,。；;]{0,4}(?:撤销|取消|作废)/, '已撤销签收'],
  ['payment', /(?:等待|待|未|需)[^，,。；;]{0,8}(?:支付|缴纳?|付)[^，,。；;]{0,4}(?:关税|税费?|货款)|(?:关税|税费)(?:待|未)[支缴]/, '等待收件人支付关税'],
  ['customs', /海关[^，,。；;]{0,8}(?:扣留|扣押|查扣|查验不)|(?:清关|通关|报关)[^，,。；;]{0,8}(?:异常|失败|不通过|受阻|延[迟误])|没收|罚没|海关[^，,。；;]{0,6}(?:待查|待验|扣件)|留存待验|检疫扣件/, '海关扣留'],
  ['weather', /(?:天候|天气)[^，,。；;]{0,6}(?:不佳|恶劣|影响|原因)|恶劣天气|台风|大雪|大雾|洪水|冰雪|暴雨|暴雪|道路中断/, '天候不佳，后续配送中', /可能|或会|恐/],
  ['lost', /丢失|丢件|遗失|灭失|失窃|被盗/, '包裹丢失'],
  ['damaged', /破损|毁损|损坏|受损|损毁|破碎|销毁|包装异常/, '包裹破损'],
  ['held', /(?<!取消)拦截(?!失败|不成功|已?取消)|滞留|留仓|暂置|扣留|扣押/, '快件已拦截'],
  ['address', /(?:需要?|待|进一步)[^，,。；;]{0,6}确认[^，,。；;]{0,4}(?:收件人|收货人)?(?:信息|地址)|地址(?:不详|不清|不明|错误)|搬家|查无此人/, '地址不详'],
  ['recipient_unavailable', /不在家|(?:无人|没人)在(?:家|场)|家中无人|公司行号休息/, '不在家'],
  ['exception', /(?:转运|运输|中转|核查|提取|物流)异常/, '转运异常,正在解决中'],
  ['exception', /问题件|疑难件|错分|错发|超区|(?:包裹|快件|邮件|货件|货物)(?:发生)?异常/, '问题件'],
  ['failed_attempt', /未(?:能)?(?:顺利)?(?:派送|投递|配送|取件)(?:成功|$|[，,。])|取消取件/, '未顺利取件'],
  ['failed_attempt', /(?:派[件送签]|投递|配送|妥投|签收)(?:时[^，,。；;]{0,4})?(?:失败|不成功|异常)|未妥投|未(?:能)?(?:派[件送]|投递|配送)成功/, '派送失败'],
  ['failed_attempt', /(?:无法|不能|未能|没能|难以)[^，,。；;]{0,4}签收/, '因客户原因未能签收'],
  ['address', /(?:地址|电话|号码)[^，,。；;]{0,4}(?:错误|有误|不全)|(?:超出|超过|不在)[^，,。；;]{0,8}(?:派[件送]|投递|配送|服务)区?(?:范围|区域)/, '收件地址有误', GOES_ON],
  ['recipient_unavailable', /联系不[上到]|无法联系|(?:无人|未)接听|(?:收件人|客户)不在|电联不上/, '电话无人接听，无法派送', GOES_ON],
  ['delayed', /(?<!(?:能|或|免|止|会|有)[^，,。；;]{0,2})延误|(?:配送|派[件送]|运输|物流)延[迟误]/, '航班延误', GOES_ON],
  ['held', /扣件|查扣|弃件/, '快件被扣件', GOES_ON],
  ['failed_attempt', /(?:无法|不能|未能|难以)(?:正常|按时|及时)?(?:派[件送]|投递|配送|送达)/, '暂时无法正常派送', GOES_ON],
  ['cancelled', CANCELLED, '订单已取消'],
  ['info_received', /已下单|已接单|等待(?:卖家|商家|寄件人)[^，,。；;]{0,4}(?:出货|发货|寄)|待[^，,。；;]{0,8}揽[收件]|待取件[^，,。；;]{0,20}揽|通知[^，,。；;]{0,10}揽[收件]/, '商家已下单，等待揽收'],
  ['delayed', /(?:预计|发生|出现|已|派送|配送|运输)延[迟期]|延[迟期]\s?\d/, '仍在等待转运，预计延迟3天', GOES_ON],
  ['in_transit', /转交[^，,。；;]{0,12}(?:派[件送]|投递|配送)/, '快件已转交第三方并由其负责派送'],
  ['in_transit', /揽[收件]|已收[件寄]|(?<!放心)收寄/, '已揽收'],
  ['info_received', /(?:托运|寄件|货件)(?:资料|信息|数据)|快递员未(?:去)?取件/, '托运资料已登录'],
  ['info_received', /(?:订单|运单|面单)已?(?:创建|生成|建立|成立)|已?(?:创建|生成)(?:订单|运单|面单)|电子预报|预报信息/, '运单已创建'],
  ['in_transit', /(?:暂不|暂时不|不再|停止)(?:派[件送]|投递|配送)/, '暂不派送'],
  ['in_transit', /预备配送|另约时间/, '预备配送中'],
  ['delivered', /已投递[^。；;]{0,4}收件人[:：] ?(?:本人|家人|他人|同事|前台|门卫|物业|邻居)/, '已投递，收件人：本人'],
  ['out_for_delivery', /正在[^，,。；;]{0,8}(?:派[件送]|投递|配送)|(?:派[件送]|投递|配送)(?:中(?!心)|途中)/, '小陆正在派件'],
  ['out_for_delivery', /已(?:外出)?(?:派[件送]|投递)(?![至到入成完])/, '已外出派送'],
  ['in_transit', TAKEN_OUT, '快递员将快件从丰巢取出', AFTER_ALL],
  ['delivered', TAKEN_FROM_POINT, '包裹已从梧桐街驿站取走'],
  ['out_for_delivery', /安排(?:派[件送]|投递)[^。；;]{0,30}(?:投递|派[件送]|快递|揽投)员/, '安排投递，投递员：陆'],
  ['in_transit', /(?:将|即将|准备|安排|预约|待|等待|预计|计划|尽快|稍后|明[日天]|次日|后天|暂停|暂缓|延迟|推迟|延期|改期)[^，,。；;]{0,8}(?:派[件送]|投递|配送)/, '明日派送'],
  ['delivered', /取[件货]码签收|本人签收|签收人在[^，,。；;]{0,80}领取/, '凭取件码签收'],
  ['available_for_pickup', /(?:驿站|柜|丰巢|代收点|自提点|服务站|超市)[^，,。；;]{0,40}代签收/, '梧桐街驿站代签收'],
  ['available_for_pickup', SIGNER_IS_POINT, '签收人：梧桐街驿站'],
  ['available_for_pickup', /(?:已(?:存|放|投|送)[至到入进在达]|妥投|投妥)[^，,。；;]{0,30}(?:驿站|柜|丰巢|菜鸟|兔喜|代收点|自提|超市|超商|便利店|服务站|邮站|快递点|门店)/, '已存入梧桐街丰巢柜'],
  ['available_for_pickup', /招领中|到达[^，,。；;]{0,6}邮箱|配达(?:指定)?取件门市|等待客户[^，,。；;]{0,6}取件|等候收件人|已投柜|已入柜/, '各区邮局招领中'],
  ['delivered', /已(?:(?![待未等请通，,。；;]).){0,8}签收|签收人(?:[:：]|是|为)|签收成功|(?:正常|最终)签收|(?:快件|包裹|邮件)被签收/, '快件已签收'],
  ['delivered', /(?<!通知|等待|等候|提醒|联系|[待请由])(?:(?:本人|客户|家人|同事|前台|门卫|他人)代?签收|家人代收)|邻居代收/, '邻居代收'],
  ['delivered', /(?<![未待尚没不等法能将计请天日前可])(?:妥投|投妥)/, '已妥投'],
  ['delivered', /(?:包裹|快件|邮件)已被?(?:领取|取走|取出)(?!码)/, '包裹已领取'],
  ['delivered', /(?:收件人|客户)已(?:(?![待未，,。；;]).){0,8}(?:取[件出走回]|领取)/, '客户已领取'],
  ['delivered', /(?:客户|收[件货]人|买家)(?:本人)?已(?:确认)?收货(?!地址|人|信息|时间)|到店取货|^配完$|邮箱取件成功/, '客户已收货'],
  ['delivered', /已(?:(?![待未请，,。；;]).){0,4}(?:放|投递?)[在至到入进]?[^，,。；;]{0,6}(?:门口|信报箱|信箱|奶箱)/, '已投递到您的信箱'],
  ['delivered', /已(?:(?![待未请，,。；;]).){0,4}(?:送货上门|(?:送达|交付|交给)(?:收[件货]人|客户|本人))/, '快递员已送货上门'],
  ['delivered', /完成(?:配送|派送|投递)|(?:配送|派送|派件|投递)(?:完成|成功)/, '派件成功'],
  ['available_for_pickup', /暂存|驿站|代收|自提|快递柜|智能柜|丰巢|[待候]取[件货]|取[件货]码|请[^，,。；;]{0,24}(?:取[件货走]|领取)/, '凭取件码领走'],
  ['delivered', /(?:已|顺利|成功)(?:送达|送到)$/, '已送达'],
  ['out_for_delivery', /(?:派[件送]|投递|配送)(?!网点|城市|公司|中心|部|点|站|商|業)/, '派送'],
];

/**
 * The meaning of a text in Chinese or, of carriers abroad, in English; undefined if it says nothing about the status.
 */
export function meaningOfChinese(text: string): Meaning | undefined {
  const facts = factsOf(text);
  const meaning = meaningByTable(facts, CHINESE) ?? meaningOfEnglish(facts);
  // Trouble remains trouble; any other text of a hand-over concerns only the first carrier's part.
  const isTrouble = meaning !== undefined && EXCEPTION_FAMILY.includes(meaning.status);
  return handOverOf(text) === null || isTrouble ? meaning : { status: 'in_transit' };
}

/** The carriers that texts hand a parcel over to, by our codes. */
const NAMED_CARRIERS: readonly (readonly [string, string])[] = [
  ['EMS', 'china-ems'],
  ['中国邮政', 'china-post'],
  ['邮政', 'china-post'],
  ['顺丰', 'sf-express'],
  ['圆通', 'yto'],
  ['中通', 'zto'],
  ['申通', 'sto'],
  ['韵达', 'yunda'],
  ['极兔', 'jtexpress'],
  ['京东', 'jd'],
  ['德邦', 'deppon'],
];
const HAND_OVER =
  /转[至交往寄给发]?[【“"]?(EMS|中国邮政|邮政|顺丰|圆通|中通|申通|韵达|极兔|京东|德邦)(?:[^A-Z0-9]{0,12}([A-Z]{0,4}\d{8,20}[A-Z]{0,2}))?/i;

/** The carrier that a parcel was handed over to according to a text, and its number, if given. */
export function handOverOf(text: string): { carrier: string; number: string | null } | null {
  const match = HAND_OVER.exec(text);
  const carrier = NAMED_CARRIERS.find(([name]) => name === match?.[1]?.toUpperCase())?.[1];
  return carrier === undefined ? null : { carrier, number: match?.[2]?.toUpperCase() ?? null };
}

/** A placeholder text that means that there are no scans. */
const NO_SCAN =
  /^[\s【[]*(?:查无结果|查无此(?:单|件)|(?:暂无|没有|无)(?:物流|快递|快件|查询)?(?:信息|记录|轨迹|结果|数据))/;

export function isNoScan(text: string): boolean {
  return NO_SCAN.test(text);
}
