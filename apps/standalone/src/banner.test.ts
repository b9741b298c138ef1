import { banner } from './banner.ts';

const ready = {
  base_url: 'http://127.0.0.1:8080',
  api_key: `tk_${'0'.repeat(48)}`,
  sandbox_url: 'http://127.0.0.1:8081',
  database_url: 'postgresql://postgres:secret@127.0.0.1:1/postgres',
  redis_url: null,
};

test('the commands can be pasted: each is one line, the second reads what the first registered', () => {
  const text = banner(ready, '/repo/.standalone', true, new Date('2026-01-02T03:04:05Z'));
  const commands = text.split('\n').filter((line) => line.startsWith('curl '));
  expect(commands).toHaveLength(3);
  expect(commands[0]).toContain(`-d '{"tracking_number":"SBXEXPRESS1767323045"}'`);
  expect(commands[1]).toContain('tracking_numbers=SBXEXPRESS1767323045');
  for (const command of commands) {
    expect(command).toContain(`-H 'X-API-Key: ${ready.api_key}'`);
    expect(command).toContain('http://127.0.0.1:8080/api/v1/');
  }
});

test('passwords of servers are not shown', () => {
  expect(banner(ready, '/repo/.standalone', true, new Date(0))).not.toContain('secret');
});
