import { createHash } from 'node:crypto';
import type { Request } from 'express';
import type { TextName } from '../../journeys/wording.ts';
import { isRecord } from '../../track.ts';
import { type FoundNumber, replyAbout } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const KEY = 'sandbox-key';
const REASONS = { 400: '单号格式错误', 429: '请求过于频繁', 500: '系统繁忙' };

/** `Action` of each kind of scan, and `StateEx` of the parcel while it is the newest. */
const CODES: Readonly<Record<TextName, string>> = {
  label: '10',
  collected: '1',
  departed: '206',
  departedUnread: '206',
  arrived: '204',
  arrivedInCity: '201',
  cleared: '2',
  outForDelivery: '202',
  atLocker: '211',
  pickedUp: '301',
  delivered: '301',
  held: '405',
  refused: '404',
  unreachable: '405',
  goingBack: '407',
  returned: '406',
};

/** Kdniao: signed forms, one number a call, oldest scan first, refusals as a text with status 200. */
export const kdniao: Wire = {
  name: 'kdniao',
  limit: { calls: 20, seconds: 1 },
  isKnown: isSigned,
  refused: refusal('非法用户：签名验证失败'),
  tooMany: refusal(REASONS[429]),
  routes: [
    {
      method: 'post',
      path: '/api/dist',
      body: 'form',
      run: async ({ body }, ask) => {
        const { ShipperCode: company, LogisticCode: code, CustomerName: phone } = JSON.parse(body.RequestData);
        const number = String(code);
        const [says] = await ask([{ number, ...(typeof phone === 'string' && { phone }) }], 'zh');
        return replyAbout(number, says, {
          found: (found) => ({ json: history(found, String(company)) }),
          notFound: { json: { Success: true, LogisticCode: number, State: '0', Reason: '暂无轨迹信息', Traces: [] } },
          problem: (status) => refusal(REASONS[status]),
        });
      },
    },
  ],
};

/** Base64 of the hexadecimal MD5 over data and key. */
function isSigned({ body }: Request): boolean {
  const { EBusinessID, RequestData, DataSign } = isRecord(body) ? body : {};
  const digest = createHash('md5').update(`${RequestData}${KEY}`).digest('hex');
  return EBusinessID === 'sandbox-customer' && DataSign === Buffer.from(digest).toString('base64');
}

function history({ number, scans }: FoundNumber, company: string) {
  const traces = scans.map((scan) => {
    const { date, time } = inZone(scan.time, 'Asia/Shanghai');
    const AcceptTime = `${date} ${time}`;
    return { AcceptTime, AcceptStation: scan.description, Location: scan.place.name, Action: CODES[scan.text] };
  });
  const stateEx = traces.at(-1)?.Action ?? '0';
  const envelope = { EBusinessID: 'sandbox-customer', ShipperCode: company, LogisticCode: number, Success: true };
  return { ...envelope, State: stateEx.slice(0, 1), StateEx: stateEx, Traces: traces };
}

function refusal(reason: string): Reply {
  return { json: { EBusinessID: 'sandbox-customer', Success: false, Reason: reason, Traces: [] } };
}
