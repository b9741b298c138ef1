import { trustedProxiesFault } from '@pts/core/settings';
import express from 'express';
import { trustProxies } from './server.ts';

function isTaken(proxies: string): boolean {
  try {
    trustProxies(express(), proxies);
    return true;
  } catch {
    return false;
  }
}

test.each([
  '0',
  '2',
  '10.0.0.1',
  'loopback, 10.0.0.0/255.0.0.0,fd00::/8',
  'linklocal,uniquelocal,::1,::ffff:10.0.0.0/104',
  '10.0.0.0/8,fd00::/128,203.0.113.0/1',
])('the setting and Express take %s', (proxies) => {
  expect([trustedProxiesFault(proxies), isTaken(proxies)]).toEqual([null, true]);
});

test.each([
  ['10.0.0.0/8,nearby', 'nearby'],
  ['10.0.0.1,', ''],
  ['-1', '-1'],
  ['true', 'true'],
  ['10.0.0.0/33', '10.0.0.0/33'],
  ['10.0.0.0/0', '10.0.0.0/0'],
  ['10.0.0.0/', '10.0.0.0/'],
  ['10.0.0.0/8/8', '10.0.0.0/8/8'],
  ['10.0.0.0/255.0.255.0', '10.0.0.0/255.0.255.0'],
  ['fd00::/129', 'fd00::/129'],
  ['::/255.0.0.0', '::/255.0.0.0'],
])('neither takes %s, and the setting says what is wrong', (proxies, wrong) => {
  const fault = expect.stringContaining(`has "${wrong}"; it must be a number of proxies, or a list of`);
  expect([trustedProxiesFault(proxies), isTaken(proxies)]).toEqual([fault, false]);
});
