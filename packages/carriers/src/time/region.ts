import { findCarrier } from '../registry/registry.ts';
import { countryOfPlace } from './place-zone.ts';

/** Provinces of China by the names that scans begin with, and large cities that scans name without their province. */
const CHINESE_REGIONS: Readonly<Record<string, string>> = {
  AH: '安徽 合肥 芜湖',
  BJ: '北京',
  CQ: '重庆',
  FJ: '福建 福州 厦门 泉州',
  GD: '广东 广州 深圳 东莞 佛山 中山 惠州 汕头 揭阳',
  GS: '甘肃 兰州',
  GX: '广西 南宁 柳州',
  GZ: '贵州 贵阳',
  HA: '河南 郑州 洛阳',
  HB: '湖北 武汉',
  HE: '河北 石家庄 保定 廊坊',
  HI: '海南 海口 三亚',
  HL: '黑龙江 哈尔滨',
  HN: '湖南 长沙',
  JL: '吉林 长春',
  JS: '江苏 南京 苏州 无锡 常州 南通 徐州',
  JX: '江西 南昌',
  LN: '辽宁 沈阳 大连',
  NM: '内蒙古 呼和浩特',
  NX: '宁夏 银川',
  QH: '青海 西宁',
  SC: '四川 成都',
  SD: '山东 济南 青岛 潍坊 临沂',
  SH: '上海',
  SN: '陕西 西安',
  SX: '山西 太原',
  TJ: '天津',
  XJ: '新疆 乌鲁木齐',
  XZ: '西藏 拉萨',
  YN: '云南 昆明',
  ZJ: '浙江 杭州 宁波 温州 金华 义乌 嘉兴 台州 绍兴',
};
const CHINESE = Object.entries(CHINESE_REGIONS).flatMap(([code, names]) =>
  names.split(' ').map((name) => [name, code] as const),
);
/** A place in brackets, as in `【杭州市】`, or spaces may precede the name. */
const LEADING = /^[\s【[(（]{1,9}|^中国/u;

/**
 * The region of a place as carriers write it: country and province or state (`CN-GD`, `US-CA`), or the country alone (`DE`).
 * @param carrier its code: a place without a country is in the carrier's.
 * @returns null if the place shows neither.
 */
export function regionOf(place: string, carrier: string): string | null {
  const text = place.trim();
  if (text === '') return null;
  const home = findCarrier(carrier, { sandbox: true })?.country ?? '';
  if (home === 'CN' || home === 'ZZ') {
    const name = text.replace(LEADING, '');
    const found = CHINESE.find(([prefix]) => name.startsWith(prefix));
    if (found) return `CN-${found[1]}`;
  }
  const located = countryOfPlace(text, home);
  if (located === null) return null;
  return located.region === null ? located.country : `${located.country}-${located.region}`;
}
