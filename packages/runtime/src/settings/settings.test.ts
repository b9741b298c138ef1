import { readFileSync } from 'node:fs';
import { SETTINGS, type SettingName } from './settings.ts';

type Listed = { about: string; isSet: boolean; value: string };

/** The settings of providers come from their manifests; `tests/settings-files.test.ts` checks them. */
const GENERATED = /^# generated: providers\b[\s\S]*?^# end of generated\b.*$/m;

/** What `.env.example` lists: a comment, then the variable; commented out, it shows the default. */
function listed(): Map<string, Listed> {
  const text = readFileSync(new URL('../../../../.env.example', import.meta.url), 'utf8').replace(GENERATED, '');
  const entries = text.matchAll(/^# (?<about>.+)\n(?<off># )?(?<name>[A-Z][A-Z0-9_]*)=(?<value>.*)$/gm);
  return new Map(
    Array.from(entries, ({ groups = {} }) => {
      const { about = '', off, name = '', value = '' } = groups;
      return [name, { about, isSet: off === undefined, value }] as const;
    }).filter(([name]) => !isOfSandboxCarrier(name)),
  );
}

/** The sandbox carrier has settings of its own, at the end of the file. */
const isOfSandboxCarrier = (name: string) => name.startsWith('SANDBOX_');

const names = Object.keys(SETTINGS) as SettingName[];
const FILE = listed();

test.each(names)('.env.example lists %s with its purpose and its default', (name) => {
  const setting = SETTINGS[name];
  const isOptional = 'fallback' in setting;
  const value = isOptional ? (setting.fallback ?? '') : '';
  expect(FILE.get(setting.env)).toEqual({ about: setting.about, isSet: !isOptional, value: String(value) });
});

test('.env.example lists nothing beyond the settings, and in their order', () => {
  expect([...FILE.keys()]).toEqual(names.map((name) => SETTINGS[name].env));
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
    'callbackSecret',
    'webhookProxyUrl',
  ]);
});
