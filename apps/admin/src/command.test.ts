import { parse } from '@pts/client/cli/kit';
import { admin } from './cli.ts';

test.each<[string, string, object]>([
  ['accounts list', 'accounts list', {}],
  ['accounts list --json', 'accounts list', {}],
  ['--json accounts list', 'accounts list', {}],
  ['accounts create --name X', 'accounts create', { name: 'X', plan: undefined }],
  ['accounts create --plan pro --name=X --quota 5', 'accounts create', { name: 'X', plan: 'pro', quota: '5' }],
  ['accounts set-quota 1f --json plan', 'accounts set-quota', { id: '1f', units: 'plan' }],
  ['keys reset 1f', 'keys reset', { accountId: '1f' }],
  ['migrate', 'migrate', {}],
  ['carriers detect', 'carriers detect', { number: [] }],
  ['carriers replay ups a.json b.json', 'carriers replay', { provider: 'ups', file: ['a.json', 'b.json'] }],
  ['smoke', 'smoke', { 'no-webhook': false }],
  ['smoke --no-webhook --base-url http://x', 'smoke', { 'no-webhook': true, 'base-url': 'http://x' }],
])('%s', (line, name, input) => {
  const requested = parse(line.split(' '), admin);
  if (requested.kind !== 'run') throw new Error('it is text');
  expect([requested.command.name, requested.input]).toEqual([name, expect.objectContaining(withoutUndefined(input))]);
});

function withoutUndefined(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

test.each<[string, RegExp]>([
  ['acounts list', /Unknown command "acounts"\. Commands: accounts, audit, /],
  ['accounts destroy 1f', /Unknown command "accounts destroy"\. Commands: accounts create, /],
  ['help nothing', /Unknown command "nothing"/],
  ['--plan pro accounts list', /Options come after the command\. Move --plan after it/],
  ['accounts show', /accounts show takes ID\. Usage: npm run admin -- accounts show ID/],
  ['accounts show 1f 2f', /takes ID/],
  ['accounts list 1f', /takes no arguments/],
  ['accounts create', /--name is missing\. Usage: npm run admin -- accounts create --name NAME \[--plan PLAN\]/],
  ['accounts create --name', /--name.*argument missing/],
  ['accounts create --name=', /--name is empty\. Is a variable not set\?/],
  ['carriers replay ups', /carriers replay takes PROVIDER FILE\.\.\./],
  ['accounts create --name X --colour red', /Unknown option '--colour'\. Usage: npm run admin -- accounts create/],
  ['accounts set-quota 1f -5', /Unknown option '-5'/],
  ['smoke --no-webhook=1', /does not take an argument/],
])('"%s" is refused with a clear message', (line, message) => {
  expect(() => parse(line.split(' '), admin)).toThrow(message);
});

test.each([
  ['', /^Usage: npm run admin -- COMMAND.* {2}accounts create --name NAME .*\nExit codes: 0 success/s],
  ['accounts', / {2}accounts show ID /],
  ['help keys', / {2}keys create ACCOUNT_ID /],
  ['carriers replay --help', /^Usage: npm run admin -- carriers replay PROVIDER FILE\.\.\. \[--number/],
  ['__complete queues d', /^depth\ndrain\n$/],
])('"%s" answers with text', (line, text) => {
  expect(parse(line.split(' ').filter(Boolean), admin)).toEqual({ kind: 'text', text: expect.stringMatching(text) });
});
