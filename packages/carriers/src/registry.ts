/** `express` carries parcels door to door, `globalpost` is a national post, `freight` moves pallets. */
export type CarrierType = 'express' | 'globalpost' | 'freight';

/** Fields that a carrier wants besides the number. Not required: checks also run without them. */
export type CarrierField = 'phone' | 'postal_code' | 'destination_country';

export type Carrier = {
  /** Stable lower-case code, as merchants send and read it. */
  code: string;
  name: string;
  nameZh: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  url: string;
  phone: string | null;
  type: CarrierType;
  requiredFields: readonly CarrierField[];
};

type Row = readonly [
  code: string,
  name: string,
  nameZh: string,
  country: string,
  url: string,
  phone: string | null,
  type: CarrierType,
];

// biome-ignore format: one carrier per line reads as the table it is
const ROWS: readonly Row[] = [
  // China, domestic
  ['sf-express', 'SF Express', '顺丰速运', 'CN', 'https://www.sf-express.com', '95338', 'express'],
  ['yto', 'YTO Express', '圆通速递', 'CN', 'https://www.yto.net.cn', '95554', 'express'],
  ['zto', 'ZTO Express', '中通快递', 'CN', 'https://www.zto.com', '95311', 'express'],
  ['sto', 'STO Express', '申通快递', 'CN', 'https://www.sto.cn', '95543', 'express'],
  ['yunda', 'Yunda Express', '韵达速递', 'CN', 'https://www.yundaex.com', '95546', 'express'],
  ['jd', 'JD Logistics', '京东物流', 'CN', 'https://www.jdl.com', '950616', 'express'],
  ['jtexpress', 'J&T Express (China)', '极兔速递', 'CN', 'https://www.jtexpress.com.cn', '956025', 'express'],
  ['china-ems', 'China EMS', '邮政特快专递 EMS', 'CN', 'https://www.ems.com.cn', '11183', 'globalpost'],
  ['china-post', 'China Post', '中国邮政', 'CN', 'https://www.chinapost.com.cn', '11185', 'globalpost'],
  ['best-express', 'Best Express', '百世快递', 'CN', 'https://www.800best.com', null, 'express'],
  ['deppon', 'Deppon', '德邦快递', 'CN', 'https://www.deppon.com', '95353', 'express'],
  ['ane', 'ANE Logistics', '安能物流', 'CN', 'https://www.ane56.com', '95344', 'freight'],
  ['zto-freight', 'ZTO Freight', '中通快运', 'CN', 'https://www.zto56.com', null, 'freight'],
  // China, cross-border
  ['cainiao', 'Cainiao', '菜鸟', 'CN', 'https://www.cainiao.com', '9519656', 'express'],
  ['yunexpress', 'YunExpress', '云途物流', 'CN', 'https://www.yunexpress.com', null, 'express'],
  ['yanwen', 'Yanwen', '燕文物流', 'CN', 'https://www.yw56.com.cn', null, 'express'],
  ['4px', '4PX', '递四方', 'CN', 'https://www.4px.com', null, 'express'],
  ['cnexps', 'CNE Express', '递一国际', 'CN', 'https://www.cne.com', null, 'express'],
  ['sunyou', 'SunYou', '顺友物流', 'CN', 'https://www.sypost.com', '400-607-5388', 'express'],
  ['sfc', 'SFC Logistics', '三态速递', 'CN', 'https://www.sfcservice.com', null, 'express'],
  ['wanb', 'Wanb Express', '万邦速达', 'CN', 'https://www.wanbexpress.com', null, 'express'],
  ['jcex', 'JCEX', '佳成国际', 'CN', 'https://www.jcex.com', null, 'express'],
  ['jnet', 'J-NET', '捷网', 'CN', 'https://www.j-net.cn', null, 'express'],
  // Posts
  ['usps', 'USPS', '美国邮政', 'US', 'https://www.usps.com', '+1 800-275-8777', 'globalpost'],
  ['royal-mail', 'Royal Mail', '英国皇家邮政', 'GB', 'https://www.royalmail.com', '+44 3457 740 740', 'globalpost'],
  ['canada-post', 'Canada Post', '加拿大邮政', 'CA', 'https://www.canadapost.ca', '+1 866-607-6301', 'globalpost'],
  ['australia-post', 'Australia Post', '澳大利亚邮政', 'AU', 'https://auspost.com.au', '13 76 78', 'globalpost'],
  ['japan-post', 'Japan Post', '日本邮政', 'JP', 'https://www.post.japanpost.jp', null, 'globalpost'],
  ['postnord', 'PostNord', '北欧邮政', 'SE', 'https://www.postnord.com', null, 'globalpost'],
  // Express, worldwide and regional
  ['ups', 'UPS', '联合包裹', 'US', 'https://www.ups.com', '+1 800-742-5877', 'express'],
  ['fedex', 'FedEx', '联邦快递', 'US', 'https://www.fedex.com', '+1 800-463-3339', 'express'],
  ['dhl', 'DHL Express', 'DHL 国际快递', 'DE', 'https://www.dhl.com', '+1 800-225-5345', 'express'],
  ['yamato', 'Yamato Transport', '雅玛多运输', 'JP', 'https://www.kuronekoyamato.co.jp', null, 'express'],
  ['sagawa', 'Sagawa Express', '佐川急便', 'JP', 'https://www.sagawa-exp.co.jp', null, 'express'],
  ['amazon', 'Amazon Logistics', '亚马逊物流', 'US', 'https://www.amazon.com', null, 'express'],
  ['ontrac', 'OnTrac', 'OnTrac', 'US', 'https://www.ontrac.com', '+1 800-334-5000', 'express'],
  ['lasership', 'LaserShip', 'LaserShip', 'US', 'https://www.lasership.com', '+1 800-527-3764', 'express'],
  ['gofo', 'GOFO Express', 'GOFO', 'US', 'https://www.gofoexpress.com', '+1 949-688-6032', 'express'],
  ['dpd', 'DPD', 'DPD', 'DE', 'https://www.dpd.com', '+49 6021 150 415', 'express'],
  ['gls', 'GLS', 'GLS', 'NL', 'https://gls-group.eu', null, 'express'],
  ['yodel', 'Yodel', 'Yodel', 'GB', 'https://www.yodel.co.uk', '+44 344 755 0117', 'express'],
  ['purolator', 'Purolator', 'Purolator', 'CA', 'https://www.purolator.com', '+1 888-744-7123', 'express'],
  ['canpar', 'Canpar', 'Canpar', 'CA', 'https://www.canpar.com', '+1 800-387-9335', 'express'],
  ['speedee', 'Spee-Dee Delivery', 'Spee-Dee', 'US', 'https://speedeedelivery.com', null, 'express'],
  ['old-dominion', 'Old Dominion', 'Old Dominion', 'US', 'https://www.odfl.com', null, 'freight'],
  ['landmark', 'Landmark Global', 'Landmark Global', 'BE', 'https://landmarkglobal.com', null, 'express'],
];

/** These answer only with the last four digits of the sender's or recipient's phone number. */
const WANTS_PHONE: ReadonlySet<string> = new Set(['sf-express', 'zto']);

const CARRIERS: readonly Carrier[] = ROWS.map(([code, name, nameZh, country, url, phone, type]) => ({
  code,
  name,
  nameZh,
  country,
  url,
  phone,
  type,
  requiredFields: WANTS_PHONE.has(code) ? ['phone'] : [],
}));

/** The code of the carrier with scripted journeys, for demos and tests; it exists only where the sandbox is enabled. */
export const SANDBOX = 'sandbox';

const SANDBOX_CARRIER: Carrier = {
  code: SANDBOX,
  name: 'Sandbox Carrier',
  nameZh: '沙盒物流',
  // The user-assigned code of ISO 3166 for "unknown": the sandbox belongs to no country.
  country: 'ZZ',
  url: 'https://example.com/',
  phone: null,
  type: 'express',
  requiredFields: [],
};

const WITH_SANDBOX: readonly Carrier[] = [...CARRIERS, SANDBOX_CARRIER];
const BY_CODE = new Map(WITH_SANDBOX.map((carrier) => [carrier.code, carrier]));

/** Every carrier we know, in the order a list should show them; the sandbox carrier last and only when enabled. */
export function carriers(options: { sandbox: boolean }): readonly Carrier[] {
  return options.sandbox ? WITH_SANDBOX : CARRIERS;
}

/** The carrier with this code, or undefined. `sandbox` is unknown unless the sandbox is enabled. */
export function findCarrier(code: string, options: { sandbox: boolean }): Carrier | undefined {
  return code === SANDBOX && !options.sandbox ? undefined : BY_CODE.get(code);
}
