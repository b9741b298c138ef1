import type { JourneyScan, Says } from '../journeys/journey.ts';
import { hash } from '../journeys/route.ts';
import type { SandboxFailure } from '../journeys/story.ts';

export type Kuaidi100Answer = { kind: 'json'; body: Record<string, unknown> } | { kind: 'html'; body: string };

const REFUSALS: Record<Exclude<SandboxFailure, 'unreadable'>, { returnCode: string; message: string }> = {
  invalid_number: { returnCode: '400', message: '单号格式不正确' },
  needs_input: { returnCode: '408', message: '请提供寄件人或收件人手机号后四位' },
  transient: { returnCode: '502', message: '服务暂时繁忙' },
  rate_limited: { returnCode: '504', message: '同一单号查询太频繁' },
};
const GARBAGE = '<!doctype html><html><body><h1>系统维护中</h1></body></html>';
const SHANGHAI_OFFSET_MS = 8 * 3600 * 1000;

/** Kuaidi100's refusal; the HTTP status stays 200. */
export function refusal(returnCode: string, message: string): Kuaidi100Answer {
  return { kind: 'json', body: { result: false, returnCode, message } };
}

/** The carrier's answer in Kuaidi100's format. */
export function toKuaidi100(number: string, com: string, says: Says): Kuaidi100Answer {
  switch (says.kind) {
    case 'found':
      return { kind: 'json', body: found(says.otherNumber ?? number, com, says.scans) };
    case 'not_found':
      return says.isOthers ? noResult(number, com) : notFound(number, com);
    case 'failed': {
      if (says.failure === 'unreadable') return { kind: 'html', body: GARBAGE };
      const { returnCode, message } = REFUSALS[says.failure];
      return refusal(returnCode, message);
    }
    default:
      return says satisfies never;
  }
}

function found(number: string, com: string, scans: readonly JourneyScan[]) {
  const newest = scans.at(-1);
  const isSigned = newest?.status === 'delivered';
  return {
    message: 'ok',
    nu: number,
    ischeck: isSigned ? '1' : '0',
    com,
    status: '200',
    state: newest?.kuaidi100.code ?? '0',
    condition: isSigned ? 'F00' : '',
    data: scans.toReversed().map(toEntry),
  };
}

function toEntry({ time, place, description, kuaidi100 }: JourneyScan) {
  const local = toShanghai(time);
  return {
    time: local,
    ftime: local,
    context: description,
    // Times are local: of carriers from elsewhere, the place decides.
    location: `中国${place.name}`,
    statusCode: kuaidi100.code,
    status: kuaidi100.name,
    // Area codes beginning with 99 belong to no province.
    areaCode: `CN99${String(place.cityIndex + 1).padStart(2, '0')}00000000`,
    areaName: place.city,
  };
}

/** Both forms occur in practice; a number always uses the same one. */
function notFound(number: string, com: string): Kuaidi100Answer {
  if (hash(number) % 2 === 0) return refusal('500', '暂无轨迹，请稍后再来查询');
  const body = { message: '查无此单号，可能尚未录入', nu: number, ischeck: '0', com, status: '201', state: '0' };
  return { kind: 'json', body: { ...body, condition: '', data: [] } };
}

/** A number of another company: an answer with a single scan, which says that there are none. */
function noResult(number: string, com: string): Kuaidi100Answer {
  const body = { message: 'ok', nu: number, ischeck: '1', com, status: '200', state: '3', condition: 'F00' };
  return { kind: 'json', body: { ...body, data: [{ time: '', ftime: '', context: '查无结果' }] } };
}

/** Naive local time; Shanghai has kept UTC+8 without summer time since 1992. */
function toShanghai(time: Date): string {
  return new Date(time.getTime() + SHANGHAI_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}
