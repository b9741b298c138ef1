/** Free text of a merchant, without control characters. */
export function freeText(maxLength: number) {
  return { type: 'string', maxLength, pattern: '^[^\\x00-\\x1f\\x7f]*$' } as const;
}

/**
 * The fields that a merchant may send with a number besides its carrier: all of them are returned, and can be changed.
 * The contract, the columns of imports and the arguments of agents follow from these rows: `schema` is the field in
 * requests and responses, `column` is how the reference names its column and one usual header of it, and `headers` are
 * the usual headers without spaces and punctuation, the most specific first. The column of a field in the database is
 * named in packages/db/src/trackings/inputs.ts.
 */
export const TRACKING_FIELDS = {
  phone: {
    schema: {
      type: 'string',
      maxLength: 40,
      pattern: '^([+(]{0,2}[0-9]([ ().-]{0,3}[0-9]){3,14})?$',
      // Empty counts as left out.
      description:
        "The recipient's or sender's phone number, or its last four digits. Required for carriers that list `phone` in `tracking_required_fields` (`GET /couriers/all`).",
      examples: ['5678'],
    },
    column: ['phone number', '手机'],
    headers: [
      'recipientphone',
      'receiverphone',
      'shippingphone',
      'phone',
      'phonenumber',
      'mobile',
      'mobilenumber',
      'telephone',
      'tel',
      'customerphone',
      'phonelast4',
      '收件人手机',
      '收件人手机号',
      '收件人电话',
      '收货人手机',
      '收货人电话',
      '手机',
      '手机号',
      '手机号码',
      '联系手机',
      '联系电话',
      '电话',
      '电话号码',
    ],
  },
  postal_code: {
    schema: {
      ...freeText(20),
      description: "The recipient's postal code, for carriers that require it.",
      examples: ['310000'],
    },
    column: ['postal code', 'Zip'],
    headers: [
      'postalcode',
      'postcode',
      'zipcode',
      'zip',
      'shippingzip',
      '邮编',
      '邮政编码',
      '收件人邮编',
      'destinationcountry',
      'destination',
      'shippingcountry',
      'countrycode',
      'country',
      '目的国',
      '目的国家',
      '目的地国家',
      '收件国家',
      '国家代码',
      '国家',
    ],
  },
  destination_country: {
    schema: {
      type: 'string',
      pattern: '^([A-Za-z]{2})?$',
      description: 'The destination country: ISO 3166-1 alpha-2. Empty counts as left out.',
      examples: ['CN'],
    },
    column: ['destination country', 'Country'],
    headers: [
      'destinationcountry',
      'destination',
      'shippingcountry',
      'countrycode',
      'country',
      '目的国',
      '目的国家',
      '目的地国家',
      '收件国家',
      '国家代码',
      '国家',
    ],
  },
  order_id: {
    schema: { ...freeText(100), description: 'Your own order number.', examples: ['A-1001'] },
    column: ['order number', '订单号'],
    headers: [
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
  },
  title: {
    schema: { ...freeText(200), description: 'A display name for the parcel.', examples: ['Blue jacket, size M'] },
    column: ['title', 'Product'],
    headers: [
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
      '商品标题',
      '货品标题',
      '宝贝标题',
      '商品',
      '品名',
      '产品名称',
    ],
  },
  metadata: {
    schema: {
      title: 'Metadata',
      type: 'object',
      maxProperties: 10,
      propertyNames: { maxLength: 40, pattern: '^[^\\x00-\\x1f]+$' },
      additionalProperties: freeText(256),
      description: 'Up to ten key-value pairs of your own, returned unchanged.',
      examples: [{ shop: 'hangzhou' }],
    },
    column: ['metadata, as JSON', 'metadata'],
    headers: ['metadata'],
  },
} as const;

export type TrackingField = keyof typeof TRACKING_FIELDS;
export const TRACKING_FIELD_NAMES = Object.keys(TRACKING_FIELDS) as readonly TrackingField[];

/** The schemas of the fields, by name. */
export const TRACKING_FIELD_SCHEMAS = Object.fromEntries(
  Object.entries(TRACKING_FIELDS).map(([name, { schema }]) => [name, schema]),
) as { readonly [K in TrackingField]: (typeof TRACKING_FIELDS)[K]['schema'] };
