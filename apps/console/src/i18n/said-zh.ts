import type { SaidWords } from './said.ts';

/** 简体中文. */
export const saidZh: SaidWords = {
  watches: {
    regular: '定期查询。',
    pushed: '动态由承运商推送，查询只作保障。',
    final_look: '已到达。再查询一次后停止。',
    delivered: '已停止查询：包裹已签收。“立即查询”可再次查询。',
    returned: '已停止查询：包裹已退回。“立即查询”可再次查询。',
    expired: '已停止查询：30 天没有动态。“立即查询”可恢复查询。',
    stopped: '您已停止查询。“立即查询”可恢复查询。',
    invalid_number: '已停止查询：承运商认为单号无效。如果承运商有误，请在“编辑”中更换。',
    no_provider: '已停止查询：此安装不再配置该承运商的渠道。请在“编辑”中重新选择承运商。',
  },
  holds: {
    provider_floor: '查询渠道限制了同一单号的查询间隔。',
    provider_paused: '查询渠道出现故障，届时恢复查询。',
    provider_budget: '查询渠道今天的额度已用完，届时恢复查询。',
    retrack_interval: '一小时内已手动查询过。届时可再次手动查询；定期查询不受影响。',
    first_answer: '正在查询。如果没有回答，届时会重试。',
    input_needed: '承运商需要单号以外的信息，例如电话后四位：请在“编辑”中补充。',
    no_provider: '此安装不再配置该渠道。请在“编辑”中重新选择承运商。',
  },
  failures: {
    transient: '渠道没有回答。下次查询会重试。',
    unreadable: '无法读取渠道的回答。下次查询会重试。',
    temporary: '渠道暂时无法查询此单号。下次查询会重试。',
    unsaved: '回答未能保存，这是本服务的故障，运维人员已得到通知。下次查询会重试。',
    other: '渠道没有回答。下次查询会重试。',
  },
  quarantines: {
    other_number: '最近的回答属于另一个单号。除非一小时后的回答证实，否则不采用。',
    other_history: '最近的回答与已知轨迹没有共同之处。除非一小时后的回答证实，否则不采用。',
  },
  pushes: {
    pushing: '已订阅推送。',
    awaited: '已订阅推送，收到第一次推送之前仍定期查询。',
    wanted: '正在订阅推送，在此之前定期查询。',
    ended: '渠道已结束推送，改为定期查询。',
    refused: '渠道不推送此单号，改为定期查询。',
  },
  choices: {
    merchant: '登记时指定。',
    detection: '按单号识别。如果有误，请在“编辑”中更换。',
    asking: '尚未确定：单号可能属于多个承运商，将依次查询，最先认出单号的即为承运商。',
  },
  cadence: (every, isMonitored) =>
    `${every}查询一次，因为账户${isMonitored ? '有启用的 Webhook' : '没有启用的 Webhook；启用后会更频繁'}。`,
  imports: {
    empty: '为空：请填写',
    shortened: '被表格软件缩写（如 1.23E+15），数字已丢失：请先把该列设为文本格式，再粘贴单号并重新导出',
    digits_lost: '超过 15 位，表格软件只保留了前 15 位：请先把该列设为文本格式，再粘贴单号并重新导出',
    number_too_long: '超过 50 个字符：请缩短',
    number_too_short: '少于 5 个字母或数字：请补全',
    number_characters: '含有字母、数字、空格和连字符以外的字符：请去掉，或每行只放一个单号',
    not_json: '不是 JSON 对象或 JSON 文本：请更正此行',
    not_utf8: '不是 UTF-8：请把文件另存为 UTF-8',
    line_too_long: '超过 64 KiB：请缩短此行',
    control_characters: '含有控制字符（如换行）：请去掉',
    phone: '须为电话号码或其后四位：请更正或清空',
    country: '须为两个字母的国家代码（ISO 3166），如 DE：请更正',
    metadata: '须为 JSON 对象，最多 10 项，名称不超过 40 个字符，内容不超过 256 个字符：请更正或清空',
    carrier_undetected: '无法识别承运商：请更正单号，或填写承运商',
    unknown_courier: '不是已知的承运商：请填写承运商代码或名称，或留空',
    quota_exhausted: '超过本月配额：请在配额重置后，或升级套餐后，重新上传被拒绝的行',
    others: '有其他问题，见被拒绝行的最后一列',
  },
};
