import type { Phrase } from './phrases.ts';

/** Sentences of the service, and what they say in Chinese. A name in braces stands for any text. */
export const PHRASES_ZH: readonly Phrase[] = [
  // Why an attempt failed.
  ['the receiver answered {status}; only 200 to 299 is success', '接收端回答 {status}；只有 200 至 299 才算成功'],
  ['the receiver answered {status}; redirects are not followed', '接收端回答 {status}；不会跟随重定向'],
  ['the receiver answered {status}', '接收端回答 {status}'],
  ['check, valid push: {answer}, as it should', '检查（有效推送）：{answer}，符合要求'],
  ['check, stale push: {answer}, as it should', '检查（过期推送）：{answer}，符合要求'],
  ['check, tampered push: {answer}, as it should', '检查（被篡改的推送）：{answer}，符合要求'],
  ['check, duplicate push: {answer}, as it should', '检查（重复推送）：{answer}，符合要求'],
  ['check, valid push: {answer}; {expected} was expected', '检查（有效推送）：{answer}；应为 {expected}'],
  ['check, stale push: {answer}; {expected} was expected', '检查（过期推送）：{answer}；应为 {expected}'],
  ['check, tampered push: {answer}; {expected} was expected', '检查（被篡改的推送）：{answer}；应为 {expected}'],
  ['check, duplicate push: {answer}; {expected} was expected', '检查（重复推送）：{answer}；应为 {expected}'],
  ['superseded: not sent, message {id} has a newer state of this parcel', '未发送：消息 {id} 含有此包裹更新的状态'],
  ['timeout: {text}', '超时：{text}'],
  ['blocked: {text}', '已拦截：{text}'],
  ['refused: {text}', '连接被拒绝：{text}'],
  ['dns: {text}', 'DNS：{text}'],
  ['tls: {text}', 'TLS：{text}'],
  ['connection: {text}', '连接：{text}'],
  ['no answer within {seconds} s', '{seconds} 秒内没有回答'],
  ['the host name does not resolve to a public address', '主机名没有解析到公网地址'],
  ['the receiver could not be reached', '无法连接接收端'],
  ['nothing listens at this address', '此地址没有服务在监听'],
  ['the connection failed', '连接失败'],
  ['the server does not speak TLS on this port', '服务器在此端口不使用 TLS'],
  ['the server does not support TLS 1.2 or newer', '服务器不支持 TLS 1.2 或更新版本'],
  ['the server closed the connection during the handshake', '服务器在握手时关闭了连接'],
  ['the certificate is not for this host name', '证书不是此主机名的'],
  ['the certificate has expired', '证书已过期'],
  ['the certificate is not valid yet', '证书尚未生效'],
  ['self-signed certificate in the chain', '证书链中有自签名证书'],
  ['self-signed certificate', '自签名证书'],
  [
    'unable to verify the certificate: its issuer is unknown, or the server does not send the intermediate certificate',
    '无法验证证书：颁发者未知，或服务器没有发送中间证书',
  ],
  ['unable to verify the certificate: its issuer is unknown', '无法验证证书：颁发者未知'],
  ['the handshake failed ({code})', '握手失败（{code}）'],
  ['the handshake failed', '握手失败'],
  ['connection reset by peer', '连接被对方重置'],
  ['host is unreachable', '主机不可达'],
  ['network is unreachable', '网络不可达'],
  ['other side closed', '对方关闭了连接'],

  // What to fix in a receiver.
  [
    'Not sent, because the receiver did not answer the valid push. Fix that first.',
    '未发送，因为接收端没有回答有效的推送。请先解决。',
  ],
  [
    'It repeats the valid push, which was refused too. Fix that first.',
    '它重复了有效的推送，而后者也被拒绝。请先解决。',
  ],
  [
    'The receiver answers 2xx to everything: it does not verify pushes, so anyone can send it events. Verify X-Webhook-Signature and X-Webhook-Timestamp first.',
    '接收端对一切都回答 2xx：它没有验签，任何人都能向它发送事件。请先验证 X-Webhook-Signature 和 X-Webhook-Timestamp。',
  ],
  [
    'It passed: 401 is what Standard Webhooks says of a stale push. This service documents 400; both are right.',
    '通过：Standard Webhooks 对过期推送规定 401，本服务的文档规定 400，两者都对。',
  ],
  [
    'It passed, but took {seconds} s. After 10 s a push counts as failed and is retried: answer first, then do the work.',
    '通过，但用了 {seconds} 秒。超过 10 秒的推送算作失败并会重试：请先回答，再处理。',
  ],
  [
    'It answered {status}, a redirect. Redirects are never followed: register the target URL instead.',
    '它回答 {status}，即重定向。不会跟随重定向：请登记目标地址。',
  ],
  [
    'It did not answer within {seconds} s. Answer as soon as the push is verified and stored, and do the work afterwards.',
    '它在 {seconds} 秒内没有回答。请在验签并保存后立即回答，然后再处理。',
  ],
  [
    'There was no answer ({reason}). Is the URL right, the server running, and its certificate valid?',
    '没有回答（{reason}）。地址是否正确，服务器是否在运行，证书是否有效？',
  ],
  [
    'There was no answer ({reason}). Refuse the push with status 400.',
    '没有回答（{reason}）。请以状态码 400 拒绝此推送。',
  ],
  [
    'There was no answer ({reason}). Refuse the push with status 401.',
    '没有回答（{reason}）。请以状态码 401 拒绝此推送。',
  ],
  [
    'It refused a correctly signed push. Does it use the whole secret of this webhook, including whsec_? Does it verify the raw bytes of the body? A body that was parsed and serialized again has a different signature: in Express, use express.raw() for this route. Does the route require a login?',
    '它拒绝了签名正确的推送。它是否使用此 Webhook 的完整密钥（包括 whsec_）？是否验证正文的原始字节？解析后再序列化的正文签名不同：在 Express 中请对此路由使用 express.raw()。此路由是否要求登录？',
  ],
  [
    'It refused a valid push. Is its clock within 300 s of the current time? Does it read X-Webhook-Timestamp as seconds, not milliseconds? Does it accept any event, including "ping"?',
    '它拒绝了有效的推送。它的时钟误差是否在 300 秒以内？是否把 X-Webhook-Timestamp 当作秒而不是毫秒？是否接受所有事件，包括 “ping”？',
  ],
  [
    'It answered {status}: nothing accepts POST at this URL. Is the registered path right?',
    '它回答 {status}：此地址不接受 POST。登记的路径是否正确？',
  ],
  ['It answered 410 Gone: a real push would disable this webhook.', '它回答 410：真实的推送会因此停用此 Webhook。'],
  [
    'It answered {status}: it must accept application/json of up to 1 MiB for every event.',
    '它回答 {status}：对每个事件都须接受最大 1 MiB 的 application/json。',
  ],
  [
    'It failed with {status}. Check its log: a ping has no parcel in its data.',
    '它以 {status} 失败。请查看其日志：ping 的数据中没有包裹。',
  ],
  [
    'It answered {status}. Answer 2xx to every verified push, including events that you do not use.',
    '它回答 {status}。对每个通过验签的推送都请回答 2xx，包括您不使用的事件。',
  ],
  [
    'It accepted a push that was signed 7 minutes ago, so an attacker could replay a recorded push. Answer 400 when X-Webhook-Timestamp differs from your clock by more than 300 s in either direction.',
    '它接受了 7 分钟前签名的推送，攻击者可以重放截获的推送。当 X-Webhook-Timestamp 与您的时钟相差超过 300 秒时，请回答 400。',
  ],
  [
    'It refused the push with {status}, not with 400: this looks like an unhandled error; check the timestamp first, and answer 400 if it is off by more than 300 s.',
    '它以 {status} 而不是 400 拒绝：看起来是未处理的错误；请先检查时间戳，相差超过 300 秒时回答 400。',
  ],
  [
    'It refused the push with {status}, not with 400: check the timestamp first, and answer 400 if it is off by more than 300 s.',
    '它以 {status} 而不是 400 拒绝：请先检查时间戳，相差超过 300 秒时回答 400。',
  ],
  [
    'It accepted a body that was changed after it was signed, so anyone can forge events. Compare the HMAC-SHA256 of "<timestamp>.<raw body>" in constant time with each v1 of X-Webhook-Signature, and answer 401 if none is equal.',
    '它接受了签名后被改动的正文，任何人都能伪造事件。请以恒定时间比较 “<timestamp>.<raw body>” 的 HMAC-SHA256 与 X-Webhook-Signature 中的每个 v1，都不相等时回答 401。',
  ],
  [
    'It refused the push with {status}, not with 401: this looks like an unhandled error; answer 401 to a wrong signature.',
    '它以 {status} 而不是 401 拒绝：看起来是未处理的错误；签名错误时请回答 401。',
  ],
  [
    'It refused the push with {status}, not with 401: answer 401 to a wrong signature.',
    '它以 {status} 而不是 401 拒绝：签名错误时请回答 401。',
  ],
  [
    'It answered {status} to a message that it knows. Answer 2xx again: any other status counts as failed, and the message is retried.',
    '它对已收到过的消息回答 {status}。请再次回答 2xx：其他状态码算作失败，消息会重试。',
  ],
  [
    'It answered {status} to the valid push sent a second time. Delivery is at least once: store X-Webhook-Id, and answer 2xx to a known message without doing the work again.',
    '它对第二次发送的有效推送回答 {status}。推送可能重复：请保存 X-Webhook-Id，对已收到过的消息回答 2xx，不重复处理。',
  ],

  // What is known of a past request.
  [
    'Receivers refuse this request once it is more than 300 seconds old. To send it again, redeliver it.',
    '超过 300 秒后接收端会拒绝此请求。如需再次发送，请使用“重新发送”。',
  ],
  ['The webhook was deleted, so its URL and secret are no longer known.', '此 Webhook 已删除，其地址和密钥已不可知。'],
  ['The secret was rotated since, so the signature cannot be shown.', '密钥此后已更换，因此无法显示签名。'],
  ['The message has expired.', '消息已过期。'],
  ['The body of a ping is not stored.', 'ping 的正文不会保存。'],

  // Of an endpoint, and of the account.
  [
    'Every delivery has failed for 5 days, since {day}. Fix the receiver, check it with POST /api/v1/webhooks/{id}/check, and enable the webhook again.',
    '自 {day} 起，所有推送连续失败 5 天。请修复接收端，在“测试”中检查后重新启用。',
  ],
  [
    'The receiver answered 410 Gone, so deliveries stopped. Enable the webhook to resume them.',
    '接收端回答 410，推送已停止。重新启用后恢复。',
  ],
  ['{url} gets no pushes: {reason}', '{url} 不再收到推送：{reason}'],
  [
    'The quota of {limit} units is used up until {day}; new numbers are refused.',
    '{limit} 个配额已用完，{day} 重置；在此之前无法登记新单号。',
  ],

  // Why a number may belong to a carrier.
  [
    'its own prefix (or other letters or digits), the length of its numbers, and a valid check digit',
    '专有前缀（或其他字母、数字）、单号长度和校验位都符合',
  ],
  [
    'the length of its numbers and a valid check digit; other carriers use the same format',
    '单号长度和校验位符合；其他承运商也使用此格式',
  ],
  [
    'the format of its numbers, but the check digit is wrong: check the number for typing errors',
    '格式符合，但校验位错误：请检查单号是否输错',
  ],
  [
    'its own prefix (or other letters or digits) and the length of its numbers; they have no check digit',
    '专有前缀（或其他字母、数字）和单号长度符合；其单号没有校验位',
  ],
  [
    'only the length and kind of characters of its numbers, which other carriers use too',
    '只有单号长度和字符种类符合，其他承运商也是如此',
  ],
  ['a number of the sandbox carrier', '沙箱承运商的单号'],
  [
    '{provider} reports that {carrier} carries this parcel. If that is right, send "courier_code": "{code}" with PATCH /api/v1/trackings/{id}.',
    '{provider} 报告此包裹由 {carrier} 承运。如果属实，请在“编辑”中更换承运商。',
  ],

  // Why a parcel needs attention.
  ['A delivery attempt failed.', '一次派送失败。'],
  ['The recipient refused the parcel.', '收件人拒收了包裹。'],
  ['The carrier reports a problem with the address.', '承运商报告地址有问题。'],
  ['The parcel is held by customs.', '包裹被海关扣留。'],
  ['The parcel is on its way back to the sender.', '包裹正在退回寄件人。'],
  ['The carrier reports a problem; the latest event says which.', '承运商报告有问题，详见最新轨迹。'],
  ['The parcel waits to be picked up by the recipient.', '包裹等待收件人取件。'],
  ['There has been no news for {days} days.', '已有 {days} 天没有动态。'],
  ['The parcel was expected by {day}, and has not arrived.', '预计 {day} 前送达，尚未到达。'],
  [
    'The carrier has not known the number for {days} days. Check the number and the carrier.',
    '承运商 {days} 天来查无此单。请检查单号和承运商。',
  ],
  [
    'No carrier that the number may belong to has known it for {days} days. Check the number, or name its carrier.',
    '可能的承运商 {days} 天来都查无此单。请检查单号，或指定承运商。',
  ],
  ['There was no news for 30 days; the parcel is no longer checked.', '30 天没有动态，已停止查询。'],

  // Why a file cannot be read.
  ['The file is empty.', '文件为空。'],
  ['The file has more than {count} rows. Divide it into several files.', '文件超过 {count} 行。请拆分为多个文件。'],
  [
    'Row {row} has more than {size} KiB: perhaps a quote that is not closed. Correct it, and upload the file again.',
    '第 {row} 行超过 {size} KiB：可能有引号没有闭合。请更正后重新上传。',
  ],
  [
    'The file is not an Excel workbook (.xlsx), or it is damaged. Save the sheet as CSV UTF-8, and upload that.',
    '文件不是 Excel 工作簿（.xlsx），或已损坏。请把工作表另存为 CSV UTF-8 后上传。',
  ],
  [
    'The file is a workbook of an old Excel (.xls), or protected with a password. Save it as .xlsx or CSV.',
    '文件是旧版 Excel（.xls）的工作簿，或有密码保护。请另存为 .xlsx 或 CSV。',
  ],
  [
    'The file begins with {count} blank rows. Remove them, and upload the file again.',
    '文件开头有 {count} 个空行。请删除后重新上传。',
  ],
  ['The file has a header, but no rows.', '文件只有表头，没有数据行。'],
  ['The file has no rows.', '文件没有数据行。'],
  ['The account is disabled.', '账户已停用。'],
  [
    'A quote in or after row {row} is not closed. Correct it, and upload the file again.',
    '第 {row} 行或其后的引号没有闭合。请更正后重新上传。',
  ],
  [
    'The file cannot be read as CSV at row {row}. Save it again as CSV UTF-8.',
    '第 {row} 行无法按 CSV 读取。请另存为 CSV UTF-8。',
  ],
  [
    'The workbook has more than 64 MiB of text. Save the sheet as CSV UTF-8, and upload that.',
    '工作簿的文字超过 64 MiB。请把工作表另存为 CSV UTF-8 后上传。',
  ],
  [
    'The workbook has more than {count} texts. Save the sheet as CSV UTF-8, and upload that.',
    '工作簿的文本超过 {count} 个。请把工作表另存为 CSV UTF-8 后上传。',
  ],
  [
    'The workbook is damaged: its XML cannot be read. Save it again, and upload it.',
    '工作簿已损坏。请重新保存后上传。',
  ],
  [
    'The workbook has no sheet. Save the table as CSV UTF-8, and upload that.',
    '工作簿中没有工作表。请另存为 CSV UTF-8 后上传。',
  ],
  [
    'The workbook is protected with a password. Remove it, and upload the file again.',
    '工作簿有密码保护。请去掉密码后重新上传。',
  ],
  [
    'The encoding of the file is not recognised as UTF-8, UTF-16, GB18030, EUC-KR, EUC-JP or Windows-1252. Save it as CSV UTF-8, or state its charset.',
    '无法识别文件编码（UTF-8、UTF-16、GB18030、EUC-KR、EUC-JP 或 Windows-1252）。请另存为 CSV UTF-8，或指明其字符集。',
  ],

  ['The last four digits of a phone number are needed.', '需要电话号码的后四位。'],

  // Why a request was refused.
  ['The request is malformed.', '请求格式有误。'],
  [
    'Authentication failed. Send your API key in the X-API-Key header: tk_ followed by 48 lowercase hexadecimal characters.',
    '身份验证失败：API 密钥以 tk_ 开头，后跟 48 个小写十六进制字符。',
  ],
  [
    'The API key may not do this: message names the scope that it lacks, or the network that it is limited to.',
    '此 API 密钥无权这样做：缺少权限，或不在允许的网络内。',
  ],
  ['The route does not exist.', '此路径不存在。'],
  [
    'The API key was revoked, or its account disabled, while the request was in progress. What was registered before stays registered. Send the rest with a valid key.',
    '请求进行时，此 API 密钥被撤销，或其账户被停用。已登记的仍有效，其余请使用有效的密钥。',
  ],
  ['Your session has ended. Sign in again.', '您的登录已结束，请重新登录。'],
  [
    'Your role lacks the scope {scope}, which this operation needs. Ask an administrator of the account for another role.',
    '您的角色没有此操作所需的权限 {scope}。请联系账户管理员更改角色。',
  ],
  ['The API key is missing. Send it in the X-API-Key header.', '缺少 API 密钥。'],
  [
    'The API key is malformed: it must be tk_ followed by 48 lowercase hexadecimal characters, without spaces.',
    'API 密钥格式有误：须以 tk_ 开头，后跟 48 个小写十六进制字符，不含空格。',
  ],
  [
    'The API key is invalid: it is unknown or was reset, or its account is disabled.',
    'API 密钥无效：它不存在、已被重置，或其账户已停用。',
  ],
  ['Invalid: {fault}.', '无效：{fault}。'],
  ['Missing: {fault}.', '缺少：{fault}。'],
  [
    'tracking_number must have 5 to 50 letters and digits; spaces and hyphens are dropped',
    '单号须为 5 至 50 个字母和数字；空格和连字符会去掉',
  ],
  [
    'tracking_number must be one number, but has several: send each as an item of its own (POST /trackings/batch); if it is only one, remove its spaces and line breaks',
    '含有多个单号：请每行只放一个；如果只是一个单号，请去掉其中的空格和换行',
  ],
  [
    'tracking_number was shortened by a spreadsheet (such as 1.23E+15), and its digits are lost: format the column as text before you paste the numbers, and export it again',
    '单号被表格软件缩写（如 1.23E+15），数字已丢失：请先把该列设为文本格式，再粘贴单号并重新导出',
  ],
  [
    'tracking_number was written as a decimal number (such as 123456789012.0), which loses leading zeros and the last digits of long numbers: read the column as text (in pandas, dtype=str), and export it again',
    '单号被写成小数（如 123456789012.0），会丢失前导零和长单号的末尾几位：请把该列按文本读取（pandas 用 dtype=str），再重新导出',
  ],
  [
    "phone is required: {carrier} answers only with the last four digits of the recipient's or sender's phone",
    '须填写电话：{carrier} 须凭收件人或寄件人电话的后四位查询',
  ],
  [
    "postal_code is required: {carrier} answers only with the recipient's postal code",
    '须填写邮编：{carrier} 须凭收件人的邮编查询',
  ],
  [
    'destination_country is required: {carrier} answers only with the destination country',
    '须填写目的国家：{carrier} 须凭目的国家查询',
  ],
  [
    'phone must be a phone number or its last four digits: 4 to 15 digits, optionally with +, spaces, hyphens, dots and brackets',
    '电话须为完整号码或后四位：4 至 15 位数字，可含 +、空格、连字符、点和括号',
  ],
  ['destination_country must be a two-letter country code, such as CN', '目的国家须为两个字母的代码，例如 CN'],
  ['expires_at must be in the future', '有效期须晚于现在'],
  [
    'networks.{place} must be an address or a CIDR range, such as 203.0.113.0/24',
    '网络须为地址或网段，例如 203.0.113.0/24',
  ],
  ['events must not be empty', '请至少选择一种事件'],
  [
    'url must not use port {port}: below 1024, only 80 and 443 are allowed',
    '地址不能使用端口 {port}：1024 以下只能用 80 和 443',
  ],
  ['until must not be in the future', '结束时间不能晚于现在'],
  ['since must be before until, and in the past', '开始时间须早于结束时间和现在'],
  ['since must not be after until', '开始时间不能晚于结束时间'],
  ['created_after must not be after created_before', '注册时间的起点不能晚于终点'],
  ['updated_after must not be after updated_before', '更新时间的起点不能晚于终点'],
  [
    'since must not be more than {days} days ago; older messages have expired',
    '开始时间不能早于 {days} 天前；更早的消息已过期',
  ],
  ['url must be an absolute URL such as https://example.com/hooks', '地址须为完整网址，例如 https://example.com/hooks'],
  ['url must use https', '地址须使用 https'],
  ['url must not contain a fragment: the part from # on is never sent', '地址不能包含 # 及其后的部分'],
  ['url must not contain a user name or password', '地址不能包含用户名或密码'],
  ['url must name a public host; "{name}" is a local name', '地址须指向公网主机；“{name}” 是本地名称'],
  ['url is already used by another of your webhooks', '此地址已被您的另一个 Webhook 使用'],
  [
    'url exceeds the limit of {count} webhooks per account; delete one first',
    '每个账户最多 {count} 个 Webhook；请先删除一个',
  ],
  ['The API key expired at {time}. Send another one.', '此 API 密钥已于 {time} 过期。请换用另一个。'],
  [
    'The API key may not be used from {address}: it is limited to certain networks.',
    '此 API 密钥不能从 {address} 使用：它只限于某些网络。',
  ],
  [
    'The API key lacks the scope {scope}, which this operation needs; it has {scopes}. Send a key with that scope.',
    '此操作需要权限 {scope}，而此 API 密钥只有 {scopes}。请使用有该权限的密钥。',
  ],
  [
    'Too many invalid API keys from this address. Wait 120 seconds (Retry-After), then send a valid key.',
    '此地址发送了过多无效的 API 密钥。请等待 120 秒后使用有效的密钥。',
  ],
  ['This path does not support this method.', '此路径不支持此方法。'],
  ['The request conflicts with another one, or with the current state.', '请求与另一个请求或当前状态冲突。'],
  [
    'The request body exceeds the size limit of this endpoint. Send less per request.',
    '请求正文超过此接口的大小限制。请分多次发送。',
  ],
  ['The request body must be JSON. Send it with Content-Type: application/json.', '请求正文须为 JSON。'],
  [
    'Too many requests to this endpoint. Wait 120 seconds (Retry-After), then send requests more slowly.',
    '对此接口的请求过多。请等待 120 秒后再试。',
  ],
  [
    'Internal error. Try again; if it persists, contact support with the request id.',
    '内部错误。请重试；如果仍然失败，请把请求编号告知支持人员。',
  ],
  [
    'The service cannot reach its database at the moment. Try again in a few seconds.',
    '服务暂时无法连接数据库。请几秒后重试。',
  ],
  [
    'This tracking number is not registered under your account. Register it with POST /api/v1/trackings/create.',
    '此单号未在您的账户中登记。',
  ],
  [
    'No tracking with this id is registered under your account. GET /api/v1/shipments lists the ids.',
    '您的账户中没有此编号的包裹。',
  ],
  ['A call takes at most 40 tracking numbers. Divide them among several calls.', '一次最多 40 个单号。'],
  [
    'The tracking number is invalid: it must have 5 to 50 letters and digits; spaces and hyphens are dropped.',
    '单号无效：须为 5 至 50 个字母和数字；空格和连字符会去掉。',
  ],
  ['The tracking number is missing: data.errors names its field.', '缺少单号。'],
  ['The id is invalid: it must have 24 lowercase hexadecimal characters.', '编号无效：须为 24 个小写十六进制字符。'],
  ['This tracking was retracked less than 1 hour ago.', '此包裹在一小时内已手动查询过。'],
  [
    'courier_code is not a known carrier; GET /api/v1/couriers/all lists them. Omit it, or send auto, to detect the carrier',
    '承运商代码未知。留空可自动识别承运商',
  ],
  [
    'The courier_code is unknown. GET /api/v1/couriers/all lists the known ones; omit it to detect the carrier.',
    '承运商代码未知。留空可自动识别承运商。',
  ],
  [
    'No carrier could be detected for this tracking number. Check the number, or name the carrier in courier_code.',
    '无法识别此单号的承运商。请检查单号，或选择承运商。',
  ],
  [
    'A required field is missing: data.errors names it. tracking_required_fields in GET /api/v1/couriers/all lists what each carrier needs.',
    '缺少必填项，例如承运商需要的电话。',
  ],
  ['A field is invalid.', '有一项内容无效。'],
  [
    'What is left of the monthly quota is too little for the new numbers of this call. Nothing was registered: send no more new numbers than quota_remaining in GET /api/v1/account. The quota resets on the 1st of next month (UTC); a larger plan takes effect at once.',
    '本月剩余配额不足以登记这些新单号，均未登记。下月 1 日（UTC）重置；升级套餐立即生效。',
  ],
  [
    'The monthly quota is used up. It resets on the 1st of next month (UTC); a larger plan takes effect at once.',
    '本月配额已用完，下月 1 日（UTC）重置；升级套餐立即生效。',
  ],
];
