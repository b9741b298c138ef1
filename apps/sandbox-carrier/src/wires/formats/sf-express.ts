import { createHash } from 'node:crypto';
import type { Request } from 'express';
import type { Says } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { isRecord } from '../../track.ts';
import { failureOfCall, replyToRefusal } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const CHECKWORD = 'sandbox-checkword';
const MAX_NUMBERS = 10;

/** `opCode` of each kind of scan. */
const CODES: Readonly<Record<TextName, string>> = {
  label: '',
  collected: '50',
  departed: '30',
  departedUnread: '30',
  arrived: '31',
  arrivedInCity: '31',
  cleared: '36',
  outForDelivery: '44',
  atLocker: '125',
  pickedUp: '80',
  delivered: '80',
  held: '33',
  refused: '70',
  unreachable: '70',
  goingBack: '648',
  returned: '648',
};

/** For a kind without a code: only the text says what it is. */
const REMARKS: Partial<Readonly<Record<TextName, string>>> = { label: '寄件人已下单，等候上门' };

/** SF Express: signed forms, an answer in JSON within JSON, times of Beijing. */
export const sfExpress: Wire = {
  name: 'sf-express',
  limit: { calls: 30, seconds: 1 },
  isKnown: isSigned,
  refused: gateway('A1006', '数字签名无效'),
  tooMany: gateway('A1005', '流量受控'),
  routes: [
    {
      method: 'post',
      path: '/std/service',
      body: 'form',
      run: async ({ body }, ask) => {
        const { trackingNumber, checkPhoneNo } = messageIn(String(body.msgData));
        const numbers = Array.isArray(trackingNumber) ? trackingNumber.map(String) : [];
        if (numbers.length === 0 || numbers.length > MAX_NUMBERS)
          return service({ success: false, errorMsg: '单号数量错误' });
        const phone = typeof checkPhoneNo === 'string' ? { phone: checkPhoneNo } : {};
        const says = await ask(
          numbers.map((number) => ({ number, ...phone })),
          'zh',
        );
        const failure = failureOfCall(says);
        if (failure) return replyToRefusal(failure, problem);
        const routeResps = numbers.map((number, i) => routes(number, says[i]));
        return service({ success: true, errorCode: 'S0000', errorMsg: null, msgData: { routeResps } });
      },
    },
  ],
};

/** Base64 of the MD5 over the text, encoded as a form is. */
function isSigned({ body }: Request): boolean {
  const { partnerID, msgData, timestamp, msgDigest } = isRecord(body) ? body : {};
  const encoded = new URLSearchParams({ text: `${msgData}${timestamp}${CHECKWORD}` }).toString().slice('text='.length);
  return partnerID === 'sandbox-partner' && msgDigest === createHash('md5').update(encoded).digest('base64');
}

function messageIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** A number without routes is unknown, invalid or belongs to another phone number: SF does not say which. */
function routes(number: string, says: Says | undefined) {
  if (says?.kind !== 'found') return { mailNo: number, routes: [] };
  const list = says.scans.map((scan) => {
    const { date, time } = inZone(scan.time, 'Asia/Shanghai');
    const acceptTime = `${date} ${time}`;
    const remark = REMARKS[scan.text] ?? scan.description;
    return { acceptTime, acceptAddress: scan.place.name, opCode: CODES[scan.text], remark };
  });
  return { mailNo: says.otherNumber ?? number, routes: list };
}

function problem(status: 400 | 429 | 500, message: string): Reply {
  if (status === 429) return gateway('A1005', message);
  return status === 500 ? gateway('A1099', message) : service({ success: false, errorCode: '8000', errorMsg: message });
}

function service(data: unknown): Reply {
  return { json: { apiErrorMsg: '', apiResultCode: 'A1000', apiResultData: JSON.stringify(data) } };
}

function gateway(apiResultCode: string, apiErrorMsg: string): Reply {
  return { json: { apiErrorMsg, apiResultCode, apiResultData: null } };
}
