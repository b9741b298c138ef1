import { banner } from './banner.ts';

const ready = {
  base_url: 'http://127.0.0.1:8080',
  api_key: `tk_${'0'.repeat(48)}`,
  sandbox_url: 'http://127.0.0.1:8081',
  database_url: 'postgresql://postgres:secret@127.0.0.1:1/postgres',
  redis_url: null,
};

const HERE = { dir: '/repo/.standalone', isUsual: true };
const commandsOf = (text: string) => text.split('\n').filter((line) => /^[^ ]/.test(line));

test('the commands can be pasted: each is one line, the receiver misses no push, the third reads what the second registered', () => {
  const commands = commandsOf(banner(ready, HERE, true, new Date('2026-01-02T03:04:05Z')));
  expect(commands).toHaveLength(3);
  expect(commands[0]).toBe('npm run receiver');
  expect(commands[1]).toContain(`-d '{"tracking_number":"SBXEXPRESS1767323045"}'`);
  expect(commands[2]).toContain('tracking_numbers=SBXEXPRESS1767323045');
  for (const command of commands.slice(1)) {
    expect(command).toContain(`-H 'X-API-Key: ${ready.api_key}'`);
    expect(command).toContain('http://127.0.0.1:8080/api/v1/');
  }
});

test('commands find an installation in another folder, whatever its name', () => {
  const text = banner(ready, { dir: "/repo/my parcels' data", isUsual: false }, true, new Date(0));
  const here = `STANDALONE_DIR='/repo/my parcels'\\'' data'`;
  expect(commandsOf(text)[0]).toBe(`${here} npm run receiver`);
  expect(text).toContain(`  ${here} npm run smoke\n`);
  // Without the folder, it would delete another installation.
  expect(text).toContain(`start over: ${here} npm start -- --fresh`);
});

test('the console and the key to paste into it come first', () => {
  const facts = banner(ready, HERE, true, new Date(0))
    .split('\n')
    .filter((line) => /^ {2}\S/.test(line));
  expect(facts.slice(1, 3)).toEqual([
    expect.stringMatching(/^ {2}Console +http:\/\/127\.0\.0\.1:8080\/console /),
    expect.stringMatching(/^ {2}API key +tk_/),
  ]);
});

test('the key is only in the command lines of curl, and its location is shown', () => {
  const text = banner(ready, HERE, true, new Date(0));
  const lines = text.split('\n').filter((line) => line.includes(ready.api_key) && !line.startsWith('curl '));
  expect(lines).toEqual([expect.stringMatching(/^ {2}API key .*\/repo\/\.standalone\/demo-key/)]);
});

test('passwords of servers are not shown', () => {
  expect(banner(ready, HERE, true, new Date(0))).not.toContain('secret');
});
