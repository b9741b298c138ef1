import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@pts/core/errors';

const CONFIG = readFileSync(join(import.meta.dirname, '../examples/cells/haproxy.cfg'), 'utf8');

/** Each answer that the router makes itself: its status, its type and its body. */
const answers = Array.from(
  CONFIG.matchAll(/ status (\d+) content-type (\S+) .*?string '([^']*)'/g),
  ([, status, type = '', body = '']) => ({ status: Number(status), type, body }),
);

test('answers of the router have the form of the service, so that clients read and repeat them', () => {
  const json = answers.filter(({ type }) => type === 'application/json');
  expect(json.length).toBeGreaterThan(5);
  for (const { status, body } of json)
    expect(JSON.parse(body)).toEqual({ code: status, meta: status, message: expect.any(String), data: {} });
});

test('requests of an account that is being moved get a Retry-After', () => {
  const [moving = ''] = /^backend moving\n.*$/m.exec(CONFIG) ?? [];
  expect(moving).toContain(`status ${ERRORS.unavailable.http} `);
  expect(moving).toMatch(/ hdr Retry-After \d+ /);
});

test('paths are not logged, because links to pages and addresses of callbacks are secrets', () => {
  const [, format = ''] = /log-format "(.*)"/.exec(CONFIG) ?? [];
  expect(format).toMatch(/%ST/);
  expect(format).not.toMatch(/%(?:HP|HPO|HU|HQ|r|hr)\b|%\[/);
});
