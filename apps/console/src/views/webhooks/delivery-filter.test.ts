import { filterOf, fromOf } from './delivery-filter.ts';

const of = (query: string) => {
  const params = new URLSearchParams(query);
  return Object.fromEntries(Object.entries(filterOf((name) => params.get(name))).filter(([, value]) => value));
};

test('what the address names narrows the log', () => {
  const message = '69a463e0a1b2c3d4e5f60718';
  const [since, until] = ['2031-03-01T16:00:00.000Z', '2031-03-02T04:00:00.000Z'];
  const query = {
    endpoint: message,
    outcome: 'exhausted',
    event: 'ping',
    code: '503',
    since,
    until,
    message,
    parcel: message,
  };
  expect(of(`${new URLSearchParams(query)}`)).toEqual({
    ...{
      webhook_id: message,
      outcome: 'exhausted',
      event: 'ping',
      status_code: 503,
      since,
      until,
      message_id: message,
      tracking_id: message,
    },
  });
  for (const code of [0, 999]) expect(filterOf((name) => (name === 'code' ? `${code}` : null)).status_code).toBe(code);
});

test.each([
  'event=parcel',
  'code=5',
  'code=099',
  'since=yesterday',
  'until=',
  'message=x',
  'parcel=x',
  'outcome=lost',
  'endpoint=y',
])('%s, which the service would refuse, is left out', (query) => expect(of(query)).toEqual({}));

test('a place in the log is a cursor of the service', () => {
  expect(fromOf(() => '6a2b4f0c81d3e5a7b9c2d4f6')).toBe('6a2b4f0c81d3e5a7b9c2d4f6');
  expect(fromOf(() => 'SBX')).toBeNull();
});
