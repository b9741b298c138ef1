import { SETTINGS, type SettingName } from './settings.ts';

const names = Object.keys(SETTINGS) as SettingName[];

test('only the database and the encryption key have no default', () => {
  const needed = names.filter((name) => !('fallback' in SETTINGS[name]));
  expect(needed).toEqual(['databaseUrl', 'encryptionKeys']);
});

test('settings that hold a password or a key are secret', () => {
  const secret = names.filter((name) => 'secret' in SETTINGS[name]);
  expect(secret).toEqual([
    'databaseUrl',
    'migrateDatabaseUrl',
    'directDatabaseUrl',
    'databaseReplicaUrl',
    'redisUrl',
    'redisLimitsUrl',
    'encryptionKeys',
    'callbackSecret',
    'webhookProxyUrl',
  ]);
});
