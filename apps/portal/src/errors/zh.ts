import type { ErrorGuide } from './en.ts';

export const zh: ErrorGuide = {
  bad_request: {
    cause: '请求无法读取：JSON 无效、地址没有百分号编码，或请求头过大。',
    fix: '按 `message` 的提示修改：JSON 无效时会给出行和列。非 ASCII 字符必须做百分号编码。',
  },
  unauthorized: {
    cause: '密钥缺失、格式错误、不正确、已撤销或已过期，或者账户已停用。',
    fix: '在 `X-API-Key` 中或以 `Authorization: Bearer` 发送完整密钥：`tk_` 加 48 位小写十六进制字符，不带引号和空格。可用 `GET /auth/me` 验证。密钥已撤销时请新建一个。',
  },
  forbidden: {
    cause: '密钥有效，但没有该操作所需的权限范围，或只允许在其他网络使用。',
    fix: '换用具有 `message` 所列权限的密钥，或从允许的网络调用。`GET /keys` 会列出两者。',
  },
  not_found: {
    cause: '路径不存在，或者本账户没有这个 id 对应的对象。',
    fix: '与接口文档核对路径，路径以 `/api/v1` 开头。id 请取自同一账户的响应。',
  },
  method_not_allowed: {
    cause: '路径存在，但不支持这个方法。',
    fix: '使用响应头 `Allow` 列出的方法。',
  },
  conflict: {
    cause: '`Idempotency-Key` 属于另一个请求，或第一个请求仍在执行；也可能与当前状态冲突，例如事件游标已经过期。',
    fix: '等待 `Retry-After` 后重发同一请求；新请求请用新的键。对 `GET /events`，从 `data.next_cursor` 继续。',
  },
  payload_too_large: {
    cause: '请求体超过该操作的上限，没有被读取。',
    fix: '减少每次发送的数据。运单号很多时请使用[批量、流式或文件导入](/docs/pagination)。',
  },
  unsupported_media_type: {
    cause: '没有 `Content-Type`，或该操作不支持这种类型；`charset` 不是 UTF-8；或该操作不支持请求体的压缩方式。',
    fix: '发送 `Content-Type: application/json`，不带 `charset`。流式操作也接受 `application/x-ndjson`，导入接受文件；两者都不能压缩。',
  },
  too_many_requests: {
    cause:
      '该账户每秒的请求数超过这个操作的限制，或同时打开的流、导入或批量请求已达上限；也可能是来自您网络的无效密钥过多。没有执行，也没有扣费。',
    fix: '等待 120 秒（`Retry-After`），然后放慢速度。不要轮询 `GET /trackings/get`，请使用 Webhook 或 `GET /events`。',
  },
  internal: {
    cause: '服务内部故障，已按响应的 `X-Request-Id` 记录。',
    fix: '在可以安全重试时逐渐延长间隔重试。若一直存在，请把 `X-Request-Id` 发给运营方。',
  },
  unavailable: {
    cause: '服务正在启动或停止、暂时无法连接数据库，或事件流的数量已达上限。',
    fix: '等待 `Retry-After` 秒后重试。注册可以安全重复；其他 POST 请带 `Idempotency-Key`。',
  },
  not_registered: {
    cause: '这些运单号没有在本账户注册，可能是用其他密钥注册的。',
    fix: '用 `POST /trackings/create` 注册。`GET /shipments` 会列出已注册的包裹。',
  },
  batch_too_large: {
    cause: '一次调用超过 40 个运单号。没有注册，也没有扣费。',
    fix: '每次最多 40 个；数千个请用 `POST /track/batch-stream`，文件请用 `POST /imports`。',
  },
  invalid_number: {
    cause: '运单号不是 5 到 50 位字母和数字，没有数字，不是字符串，或者一个字段中有多个单号。',
    fix: '以字符串（加引号）发送面单上的号码，空格和连字符会被去掉；每个单号单独一项。`data.errors` 给出字段名。',
  },
  number_missing: {
    cause: '请求中没有运单号，或字段名不对。',
    fix: '发送 `data.errors` 指出的字段，例如 `tracking_number`。',
  },
  invalid_id: {
    cause: 'id 格式错误，也许误填了运单号。',
    fix: 'id 是 24 位小写十六进制字符，请原样使用响应中的 `id`。',
  },
  retrack_too_soon: {
    cause: '这个包裹在一小时内已经重新查询过。',
    fix: '等 `Retry-After` 过后再试。包裹会自动定期查询，只有在有人询问时才需要重新查询。',
  },
  unknown_courier: {
    cause: '没有这个 `courier_code` 的承运商。',
    fix: '从 `GET /couriers/all` 取代码，或省略该字段以自动识别。',
  },
  carrier_undetected: {
    cause:
      '运单号不符合任何已知承运商的格式、校验位错误，或本服务没有可查询该承运商的接口：`message` 会说明是哪一种。没有存储，也没有扣费。',
    fix: '检查是否输错。如果号码正确，请在 `courier_code` 中指明承运商：选择 `GET /couriers/all` 中 `trackable` 为 true 的，或请运营方接入。',
  },
  field_needed: {
    cause: '该承运商还需要其他字段，例如电话后四位。没有扣费。',
    fix: '补上 `data.errors` 指出的字段。`GET /couriers/all` 的 `tracking_required_fields` 列出各承运商的要求。',
  },
  invalid_field: {
    cause: '某个字段或参数的类型、格式或范围不对，或不存在。没有存储任何内容。',
    fix: '按 `data.errors` 逐一修改：其中有字段路径和要求。',
  },
  quota_exhausted: {
    cause: '本月的配额已用完，或剩余配额少于这次调用的新单号（一个都没有注册）。已注册的包裹仍会继续跟踪。',
    fix: '新单号不要超过剩余配额；否则等到下月 1 日（UTC），或请运营方升级套餐，立即生效。`GET /account` 显示剩余配额。',
  },
};
