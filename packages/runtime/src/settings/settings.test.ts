import { loadConfig } from './config.ts';
import { API_SETTINGS, DISPATCHER_SETTINGS, POLLER_SETTINGS, SETTINGS, type SettingName } from './settings.ts';

const names = Object.keys(SETTINGS) as SettingName[];

test('no variable is used twice', () => {
  expect(new Set(names.map((name) => SETTINGS[name].env)).size).toBe(names.length);
});

test.each(names.filter((name) => name !== 'tuning'))('the default of %s is a valid value', (name) => {
  const setting = SETTINGS[name];
  if (!('fallback' in setting) || setting.fallback === undefined || `${setting.fallback}` === '') return;
  expect(loadConfig({ [setting.env]: String(setting.fallback) }, [name])[name]).toEqual(setting.fallback);
});

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
    'oidcClientSecret',
    'callbackSecret',
    'webhookProxyUrl',
  ]);
});

test('the groups of settings do not overlap', () => {
  for (const settings of [API_SETTINGS, POLLER_SETTINGS, DISPATCHER_SETTINGS])
    expect(new Set<string>(settings).size).toBe(settings.length);
});
