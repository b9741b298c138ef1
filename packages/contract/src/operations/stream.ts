import { BODY_BYTES, sizeText } from '../body-limits.ts';
import { MAX_STREAMED, MAX_UNREADABLE } from '../limits.ts';
import { defineStream } from '../operation.ts';
import { STREAM_EXAMPLE, streamLine, streamRequest } from '../schemas/stream.ts';

/** Registers thousands of numbers and streams each tracking once its carrier has answered. */
export const streamBatch = defineStream({
  method: 'post',
  path: '/track/batch-stream',
  limit: 'track.batch-stream',
  repeat: 'safe',
  scope: 'write',
  bodyBytes: BODY_BYTES.stream,
  input: 'body',
  request: streamRequest,
  line: streamLine,
  doc: {
    id: 'streamBatch',
    tag: 'Bulk',
    summary: 'Register thousands of numbers and stream the results',
    summaryZh: '注册数千个运单号并流式返回结果',
    description: `Takes up to ${MAX_STREAMED.toLocaleString('en')} numbers: as JSON (up to ${sizeText(BODY_BYTES.streamJson)}; of objects, about 1,300), or as \`application/x-ndjson\`, one number or object per line of at most ${sizeText(BODY_BYTES.streamLine)}, read as it arrives. An invalid line becomes an \`error\` line; after ${MAX_UNREADABLE.toLocaleString('en')} of them, or ${sizeText(BODY_BYTES.stream)}, no more input is read. The response has one JSON object per line, or server-sent events with \`Accept: text/event-stream\`: one \`tracking\` line per number once its first answer is stored, an \`error\` line for each refused number, \`progress\` every 5 seconds, \`timeout\` for numbers whose carrier did not answer within 120 seconds, and one \`summary\` at the end. \`index\` is the number's place in the input.

The key is checked again before each batch of numbers and each answer. Once it is revoked, or its account disabled, nothing more is registered or written: within 3 seconds, the stream ends with an \`error\` line with code 401 and \`index\` null, without a \`summary\`.

Every new number costs one unit. If the client disconnects, or its key is revoked, the numbers registered so far are kept. An account can have 2 open streams.`,
    errors: ['batch_too_large', 'number_missing', 'quota_exhausted'],
    media: {
      request: {
        'application/json': { schema: streamRequest, example: { tracking_numbers: ['YT8812345678901'] } },
        'application/x-ndjson': { schema: { type: 'string' }, example: 'YT8812345678901\n' },
      },
      response: {
        'application/x-ndjson': { schema: streamLine, example: STREAM_EXAMPLE },
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
  },
});
