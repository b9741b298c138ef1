import { textMatching } from '@pts/testing/text-matching';
import { changedHeaders, headerFaults, maskedHeaders, withoutValues } from './headers.ts';

const KEY = 'gateway-key-7Q';

test.each([...['X-Api-Key', 'Authorization', 'x_tenant', 'CF-Access-Client-Id', "X!#$%&'*+.^_`|~1", 'Cookie']])(
  '%s can be a static header',
  (name) => {
    expect(headerFaults({ [name]: KEY })).toEqual([]);
  },
);

test.each([
  ...['X-Webhook-Signature', 'x-webhook-id', 'X-Webhook-Anything', 'webhook-id', 'Webhook-Signature'],
  ...['signature', 'Timestamp', 'User-Agent', 'host', 'Content-Type', 'CONTENT-LENGTH', 'Content-Encoding'],
  ...['Transfer-Encoding', 'Connection', 'Keep-Alive', 'TE', 'Trailer', 'Upgrade', 'Proxy-Authorization', 'Expect'],
  ...['traceparent', 'tracestate', 'Date', 'Via'],
])('%s is reserved, in any capitals', (name) => {
  expect(headerFaults({ [name]: KEY })).toEqual([
    { field: `headers.${name}`, message: textMatching('is reserved'), error: 'invalid_field' },
  ]);
});

test.each([
  ['X Key', KEY, 'is not the name of a header'],
  ['X-Key:', KEY, 'is not the name of a header'],
  ['', KEY, 'is not the name of a header'],
  ['X-Clé', KEY, 'is not the name of a header'],
  ['X'.repeat(65), KEY, 'is not the name of a header'],
  ['X-Key', '', 'must have 1 to 1024'],
  ['X-Key', ' padded', 'must have 1 to 1024'],
  ['X-Key', 'two\r\nlines: yes', 'must have 1 to 1024'],
  ['X-Key', 'schlüssel', 'must have 1 to 1024'],
  ['X-Key', 'k'.repeat(1025), 'must have 1 to 1024'],
])('the name %j with the value %j is refused', (name, value, why) => {
  expect(headerFaults({ [name]: value })).toMatchObject([{ message: textMatching(why) }]);
});

test('one name in two spellings is refused', () => {
  expect(headerFaults({ 'X-Key': KEY, 'x-key': KEY })).toMatchObject([{ field: 'headers.x-key' }]);
});

test('a change sets what it names, removes what is null, and keeps the rest', () => {
  const before = { 'X-Key': 'old', 'X-Tenant': 'seven', 'X-Other': 'stays' };
  expect(changedHeaders(before, { 'x-key': 'new', 'X-TENANT': null })).toEqual({ 'X-Other': 'stays', 'x-key': 'new' });
});

test('values are shown as their last two characters, short ones not at all', () => {
  expect(maskedHeaders({ 'X-Key': KEY, 'X-Pin': '1234567' })).toEqual({ 'X-Key': '****7Q', 'X-Pin': '****' });
});

test('what a receiver repeats of its headers is masked wherever it stands', () => {
  const sent = {
    kind: 'answered',
    excerpt: `you sent ${KEY}, and ${KEY}-longer`,
    trace: { head: `HTTP/1.1 200\r\nx-echo: ${KEY}`, address: '127.0.0.1', dnsMs: 1, reused: false, tlsMs: null },
  };
  expect(withoutValues(sent, { 'X-Key': KEY, 'X-Longer': `${KEY}-longer`, 'X-Tenant': '127' })).toEqual({
    ...sent,
    excerpt: 'you sent ****7Q, and ****er',
    trace: { ...sent.trace, head: 'HTTP/1.1 200\r\nx-echo: ****7Q' },
  });
  expect(withoutValues(sent, null)).toBe(sent);
});
