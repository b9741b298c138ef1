import type { Language } from '../site/language.ts';

const en = {
  parameters: 'Parameters',
  body: 'Body',
  samples: 'Samples',
  answer: 'Answer',
  fields: 'Fields',
  errors: 'Errors',
  columns: { name: 'Name', place: 'In', type: 'Type', meaning: 'Meaning', code: 'Code', cause: 'Cause', fix: 'Fix' },
  places: { path: 'path', query: 'query', header: 'header' },
  required: 'required',
  samplesText: 'Replace the key with yours. The sample in C# is made like the others, but our tests do not run it.',
  answerText: 'Every answer has the same envelope; `data` is what you asked for.',
};

const zh: typeof en = {
  parameters: '参数',
  body: '请求体',
  samples: '示例代码',
  answer: '响应',
  fields: '字段',
  errors: '错误',
  columns: {
    name: '名称',
    place: '位置',
    type: '类型',
    meaning: '说明',
    code: '错误码',
    cause: '原因',
    fix: '解决办法',
  },
  places: { path: '路径', query: '查询', header: '请求头' },
  required: '必填',
  samplesText: '请把密钥换成您自己的。C# 示例的生成方式与其他语言相同，但我们的测试不运行它。',
  answerText: '所有响应的外层结构相同，`data` 是请求的内容。',
};

/** What the pages of operations call their parts. */
export const LABELS: Readonly<Record<Language, typeof en>> = { en, zh };
