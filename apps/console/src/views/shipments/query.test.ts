import { filterValue, queryOf } from './query.ts';

const NOW = new Date(2031, 10, 8, 14, 30);
const from = (query: string) => (name: string) => new URLSearchParams(query).get(name);
const requested = (query: string) => JSON.parse(JSON.stringify(queryOf(from(query), NOW)));

test('an address says what the service is asked for', () => {
  expect(requested('status=异常&carrier=yto&needs_attention=customs&q= jacket &created=1d&sort=created_at')).toEqual({
    status: '异常',
    carrier: 'yto',
    needs_attention: 'customs',
    q: 'jacket',
    created_after: new Date(2031, 10, 8).toISOString(),
    sort: 'created_at',
  });
  expect(requested('needs_attention=true').needs_attention).toBe(true);
  expect(requested('status=active').status).toBe('active');
});

test('what is not known, or cannot be searched for, does not narrow the list', () => {
  expect(requested('status=lost&carrier=%3Cb%3E&needs_attention=no&q=ab&updated=never&sort=random&open=1')).toEqual({});
  expect(filterValue(from('status=lost'), 'status')).toBeNull();
});
