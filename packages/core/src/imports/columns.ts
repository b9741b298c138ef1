import { firstCharacters } from '../tracking/outside-text.ts';

/** The texts that are taken as they are; the others have rules of their own. */
export const TEXT_FIELDS = ['phone', 'postal_code', 'destination_country', 'order_id', 'title'] as const;
/** What a column of an import can be. */
export const FIELDS = ['tracking_number', 'courier_code', ...TEXT_FIELDS, 'metadata'] as const;
export type Field = (typeof FIELDS)[number];

/** The columns of fields by their places, from 0. */
export type Columns = Partial<Record<Field, number>>;

/** Usual headers of each field, without spaces and punctuation, the most specific first. */
const HEADERS: Readonly<Record<Field, readonly string[]>> = {
  tracking_number: [
    ...['trackingnumber', 'trackingno', 'trackingnum', 'trackingid', 'trackingcode', 'waybillnumber', 'waybillno'],
    ...['waybill', 'awbnumber', 'awbno', 'awb', 'consignmentnumber', 'parcelnumber', 'shipmentnumber', 'tracking'],
    ...[
      '运单号',
      '运单号码',
      '运单编号',
      '快递单号',
      '快递单号码',
      '物流单号',
      '物流运单号',
      '快递号',
      '物流号',
      '跟踪号',
    ],
    ...['追踪号', '跟踪单号', '追踪单号', '面单号', '包裹号', '单号'],
  ],
  courier_code: [
    ...['couriercode', 'carriercode', 'courier', 'carrier', 'couriername', 'carriername', 'shippingcarrier'],
    ...[
      'shippingcompany',
      'trackingcompany',
      'trackingprovider',
      'shippingprovider',
      '快递公司编码',
      '快递公司代码',
      '快递编码',
      '快递公司',
      '物流公司',
      '承运商',
    ],
    ...['承运商编码', '物流商', '快递'],
  ],
  phone: [
    ...['recipientphone', 'receiverphone', 'shippingphone', 'phone', 'phonenumber', 'mobile', 'mobilenumber'],
    ...[
      'telephone',
      'tel',
      'customerphone',
      'phonelast4',
      '收件人手机',
      '收件人手机号',
      '收件人电话',
      '收货人手机',
      '收货人电话',
    ],
    ...['手机', '手机号', '手机号码', '联系手机', '联系电话', '电话', '电话号码'],
  ],
  postal_code: ['postalcode', 'postcode', 'zipcode', 'zip', 'shippingzip', '邮编', '邮政编码', '收件人邮编'],
  destination_country: [
    ...[
      'destinationcountry',
      'destination',
      'shippingcountry',
      'countrycode',
      'country',
      '目的国',
      '目的国家',
      '目的地国家',
    ],
    ...['收件国家', '国家代码', '国家'],
  ],
  order_id: [
    'orderid',
    'ordernumber',
    'orderno',
    'ordernum',
    'order',
    '订单号',
    '订单编号',
    '订单号码',
    '订单id',
    '主订单编号',
  ],
  title: [
    ...[
      'title',
      'productname',
      'product',
      'lineitemname',
      'itemname',
      'item',
      'description',
      'name',
      '标题',
      '商品名称',
    ],
    ...['商品标题', '货品标题', '宝贝标题', '商品', '品名', '产品名称'],
  ],
  metadata: ['metadata'],
};

/** The fields that plain headers suggest: each field has one column, and each column one field. */
function guessColumns(plain: readonly string[]): Columns {
  const columns: Columns = {};
  for (const field of FIELDS) {
    const place = HEADERS[field].map((name) => plain.indexOf(name)).find((found) => found >= 0);
    if (place !== undefined) columns[field] = place;
  }
  return columns;
}

/** Characters of a header that are looked at: the rest is an explanation. */
const MAX_PLAIN = 200;

/** `Tracking-No. (required)` is `trackingno`. A parenthesis that is not closed reaches to the end. */
function plainHeader(text: string): string {
  return text
    .slice(0, MAX_PLAIN)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\([^)]*\)?|[\s\p{P}\p{S}]/gu, '');
}

/** How a user names a column: by its header, or by its place from 1. `-` is for none. */
export type WantedColumns = Partial<Record<Field, string>>;

/**
 * The columns of fields: as the user names them, or as their headers suggest.
 * @returns the first named column that does not exist, with what is wrong with it.
 */
export function chooseColumns(
  header: readonly string[],
  wanted: WantedColumns,
): { columns: Columns } | { field: Field; message: string } {
  const plain = header.map(plainHeader);
  const columns = guessColumns(plain);
  const named = FIELDS.filter((field) => wanted[field] !== undefined);
  for (const field of named) {
    const name = (wanted[field] ?? '').trim();
    const place = name === '-' ? null : findColumn(header, plain, name);
    if (place === undefined)
      return {
        field,
        message: `names no column of the file: "${name}". It has ${listOf(header)}; a number from 1 works, too`,
      };
    delete columns[field];
    if (place === null) continue;
    for (const other of FIELDS) if (columns[other] === place) delete columns[other];
    columns[field] = place;
  }
  return { columns };
}

function findColumn(header: readonly string[], plain: readonly string[], name: string): number | undefined {
  const plainName = plainHeader(name);
  const exact = header.indexOf(name);
  const similar = plainName === '' ? -1 : plain.indexOf(plainName);
  const place = exact >= 0 ? exact : similar;
  if (place >= 0) return place;
  const number = /^\d{1,3}$/.test(name) ? Number(name) : 0;
  return number >= 1 && number <= header.length ? number - 1 : undefined;
}

const MAX_LISTED = 20;

/** The headers in one text. */
export function listOf(header: readonly string[]): string {
  const names = header.slice(0, MAX_LISTED).map((name) => `"${firstCharacters(name, 40)}"`);
  return names.join(', ') + (header.length > MAX_LISTED ? ', …' : '');
}
