import { parse } from './command.ts';
import { commands } from './commands/index.ts';

test.each<[string, string, object]>([
  ['accounts list', 'accounts list', { json: undefined }],
  ['accounts list --json', 'accounts list', { json: true }],
  ['accounts create --name X', 'accounts create', { name: 'X', plan: undefined }],
  ['accounts create --plan pro --name=X --quota 5', 'accounts create', { name: 'X', plan: 'pro', quota: '5' }],
  ['accounts set-quota 1f --json plan', 'accounts set-quota', { id: '1f', units: 'plan', json: true }],
  ['keys reset 1f', 'keys reset', { accountId: '1f' }],
  ['migrate', 'migrate', {}],
  ['smoke', 'smoke', { 'no-webhook': false }],
  ['smoke --no-webhook --base-url http://x', 'smoke', { 'no-webhook': true, 'base-url': 'http://x' }],
])('%s', (line, name, input) => {
  const requested = parse(line.split(' '), commands);
  if (requested.kind !== 'run') throw new Error('it asks for help');
  expect([requested.command.name, requested.input]).toEqual([name, expect.objectContaining(withoutUndefined(input))]);
});

function withoutUndefined(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

test.each<[string, RegExp]>([
  ['', /No command given/],
  ['acounts list', /No such command: "acounts"/],
  ['accounts', /No such command: "accounts"\. Choose one of accounts create, /],
  ['accounts destroy 1f', /No such command: "accounts destroy"\. Choose one of/],
  ['help nothing', /No such command: "nothing"/],
  ['--json accounts list', /Options come after the command: move --json behind it/],
  ['accounts show', /accounts show takes ID: accounts show ID/],
  ['accounts show 1f 2f', /takes ID/],
  ['accounts list 1f', /takes no arguments/],
  ['accounts create', /needs --name: accounts create --name NAME \[--plan PLAN\]/],
  ['accounts create --name', /--name.*argument missing/],
  ['accounts create --name X --colour red', /Unknown option '--colour'\. Usage: accounts create/],
  ['accounts set-quota 1f -5', /Unknown option '-5'/],
  ['smoke --no-webhook=1', /does not take an argument/],
])('"%s" is refused with a clear message', (line, message) => {
  expect(() => parse(line === '' ? [] : line.split(' '), commands)).toThrow(message);
});
