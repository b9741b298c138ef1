import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { parseTraces } from './parse.ts';

testFixtures(import.meta.url, parseTraces, 'yto');

const ask = (body: unknown) => parseTraces(response(body), [{ number: 'YT1', carrier: 'yto' }])[0];
const history = (more: object, ...traces: object[]) => ({
  Success: true,
  LogisticCode: 'YT1',
  ...more,
  Traces: traces,
});

test('the state of the parcel decides for the newest scan, at any position, if that has no code', () => {
  const older = { AcceptTime: '2031-03-09 08:30:00', AcceptStation: '到达' };
  const newest = { AcceptTime: '2031-03-10 08:30:00', AcceptStation: '快件已到' };
  for (const traces of [
    [older, newest],
    [newest, older],
  ]) {
    const answer = ask(history({ State: '2', StateEx: '211' }, ...traces));
    const scan = answer?.kind === 'found' && answer.scans.find(({ time }) => time === '2031-03-10T00:30:00Z');
    expect(scan).toMatchObject({ status: 'available_for_pickup', ownStatus: 'in_transit' });
  }
});

test('an answer about another number is passed on with it', () => {
  const trace = { AcceptTime: '2031-03-09 08:30:00', AcceptStation: '到达' };
  expect(ask({ ...history({}, trace), LogisticCode: 'YT2' })).toMatchObject({ otherNumber: 'YT2' });
  expect(ask({ ...history({}, trace), LogisticCode: null })).not.toHaveProperty('otherNumber');
});

test.each([
  ['no list of scans', { Success: true }],
  ['a scan without a time', history({}, { AcceptTime: '', AcceptStation: '到达' })],
  ['a refusal without a reason', { Success: false }],
])('%s is unreadable', (_, body) => {
  expect(ask(body)).toMatchObject({ failure: 'unreadable' });
});

test.each([[[]], [null]])('an answer with %j as its scans has none yet', (Traces) => {
  expect(ask({ Success: true, State: '0', LogisticCode: 'YT1', Traces })).toEqual({ kind: 'not_found' });
});
