import { clientNetwork, isInNetworks, isWithinNetworks, toNetwork } from './networks.ts';

test.each([
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['192.0.2.77/24', '192.0.2.0/24'],
  [' 192.0.2.1 ', '192.0.2.1/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8:0::/48', '2001:db8::/48'],
  ['2001:db8::1', '2001:db8::1/128'],
  ['192.0.2.0/33', null],
  ['2001:db8::/129', null],
  ['192.0.2.0/', null],
  ['192.0.2.0/24/8', null],
  ['192.0.2.0/-1', null],
  ['192.0.2', null],
  ['0x7f.1', null],
  ['fe80::1%eth0', null],
  ['::ffff:192.0.2.0/120', null],
  ['example.com', null],
  ['', null],
])('"%s" is the network %s', (text, network) => {
  expect(toNetwork(text)).toBe(network);
});

test.each([
  ['192.0.2.9', true],
  ['::ffff:192.0.2.9', true],
  ['192.0.2.9:50123', true],
  ['[2001:db8:1::5]:50123', true],
  ['192.0.3.9', false],
  ['192.0.3.9:50123', false],
  ['2001:db8:1::5', true],
  ['2001:db8:2::5', false],
  ['', false],
  ['unknown', false],
])('%s is in the networks of a key: %s', (address, expected) => {
  expect(isInNetworks(address, ['192.0.2.0/24', '2001:db8:1::/48'])).toBe(expected);
});

test.each([
  ['10.1.0.0/16', true],
  ['10.0.0.0/8', true],
  ['10.0.0.0/7', false],
  ['::/0', false],
  ['11.0.0.0/16', false],
])('%s is within 10.0.0.0/8: %s', (network, expected) => {
  expect(isWithinNetworks(network, ['192.0.2.0/24', '10.0.0.0/8'])).toBe(expected);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['192.0.2.1:50123', '192.0.2.1'],
  ['[2001:db8:1:2::5]:50123', '2001:db8:1:2::/64'],
  ['[::ffff:192.0.2.1]:50123', '192.0.2.1'],
  ['192.0.2.1:', '192.0.2.1:'],
  ['', ''],
  ['unknown', 'unknown'],
])('%s is a client of %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
