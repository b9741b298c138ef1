import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { isRequired, type ProviderManifest, settingsOf } from '@pts/carriers/providers/manifest';
import { LIMITS } from '@pts/contract/limits';
import type { Setting } from '@pts/core/settings';
import { PROCESSES, SETTINGS, type SettingName } from '@pts/runtime/settings/settings';

/**
 * A part of a file that is made from the settings and the manifests of the providers: the lines between its two marks.
 */
export type Part = { path: string; name: string; render(manifests: readonly ProviderManifest[]): string[] };

export const COMMAND = 'npm run generate-settings';

/** Every such part. To change a setting or to add a provider, run the command; do not edit these lines. */
export const PARTS: readonly Part[] = [
  { path: '.env.example', name: 'settings', render: exampleLines },
  { path: 'docs/carriers.md', name: 'overview', render: overviewLines },
];

/** Writes the outdated parts. @returns the files that were changed. */
export function writeParts(root: string): string[] {
  return PARTS.flatMap((part) => {
    const file = join(root, part.path);
    const text = readFileSync(file, 'utf8');
    const wanted = withPart(text, part, PROVIDERS);
    if (wanted === text) return [];
    writeFileSync(file, wanted);
    return [part.path];
  });
}

/** The file's text with the part as it should be. @throws Error when the file lacks the marks. */
export function withPart(text: string, part: Part, manifests: readonly ProviderManifest[]): string {
  const [first, last] = [`generated: ${part.name} (${COMMAND})`, `end of generated: ${part.name}`];
  const lines = text.split('\n');
  const [from, to] = [first, last].map((mark) => lines.findIndex((line) => line.includes(mark)));
  if (from === undefined || to === undefined || from < 0 || to < from) {
    throw new Error(`${part.path} must have a line with "${first}" and, below it, one with "${last}"`);
  }
  return [...lines.slice(0, from + 1), ...part.render(manifests), ...lines.slice(to)].join('\n');
}

/** The settings by their place in the table; `TUNING` is not documented. */
const NAMES = (Object.keys(SETTINGS) as SettingName[]).filter((name) => name !== 'tuning');
const defaultOf = ({ fallback }: Setting<unknown>) => (fallback === undefined ? '' : String(fallback));
const oneLine = (text: string) => text.replaceAll('|', '\\|');

function exampleLines(manifests: readonly ProviderManifest[]): string[] {
  const line = (setting: Setting<unknown>) =>
    `${'fallback' in setting ? '# ' : ''}${setting.env}=${defaultOf(setting)}`;
  const ofService = NAMES.flatMap((name) => {
    const setting = SETTINGS[name];
    const secret = setting.secret ? ', secret' : '';
    const about = `${setting.about}${rangeOf(setting)}${limitsOf(setting)} (${readersOf(name)}${secret})`;
    return ['', `# ${about}`, line(setting)];
  });
  const ofProviders = manifests.flatMap((manifest) => [
    '',
    ...aboutLines(manifest).map((text) => `# ${text}`),
    ...settingsOf(manifest).flatMap((setting) => [
      `# ${setting.about}${isRequired(setting) ? ` (${setting.obtain})` : ''}`,
      line(setting),
    ]),
  ]);
  return [...ofService, ...ofProviders, ''];
}

/** The lines that describe a provider, above its settings. */
function aboutLines(manifest: ProviderManifest): string[] {
  const { name, title, about, cost = 'free', requires, otherUrls, maxBatchSize } = manifest;
  const needs = Object.entries(requires).map(([carrier, fields]) => `${carrier} (${fields.join(', ')})`);
  const required = settingsOf(manifest)
    .filter(isRequired)
    .map(({ env }) => env);
  return [
    `${title}: ${about}.${cost === 'free' ? '' : ` Charged ${cost}.`}`,
    `Its name in PROVIDERS is ${name}. If PROVIDERS is empty, it is on once ${new Intl.ListFormat('en').format(required)} ${required.length > 1 ? 'are' : 'is'} set.`,
    ...(otherUrls === undefined ? [] : [`Other addresses (PROVIDER_URLS): ${otherUrls}.`]),
    ...(maxBatchSize === undefined
      ? []
      : [`Numbers per call (PROVIDER_LIMITS): up to ${maxBatchSize}, for your own parcels.`]),
    ...(needs.length > 0 ? [`Required besides the number: ${needs.join(', ')}.`] : []),
  ];
}

/** The limits that an installation may change with RATE_LIMITS. */
function limitsOf({ env }: Setting<unknown>): string {
  if (env !== SETTINGS.rateLimits.env) return '';
  const pairs = Object.entries(LIMITS).map((pair) => pair.join('='));
  return `. By default ${pairs.join(',')}`;
}

function readersOf(name: SettingName): string {
  const readers = PROCESSES.filter((process) => SETTINGS[name].readers.some((reader) => reader === process));
  const isOfAll = ['api', 'poller', 'dispatcher'].every((process) => readers.some((reader) => reader === process));
  return isOfAll ? 'all' : readers.join(', ');
}

/** The values that a setting accepts, unless its text names them. */
function rangeOf({ schema, about }: Setting<unknown>): string {
  const choices = Array.isArray(schema.enum) ? schema.enum.map(String) : [];
  if (!choices.every((choice) => about.includes(choice))) return `: ${choices.join(', ')}`;
  return schema.type === 'integer' ? `: ${schema.minimum} to ${schema.maximum}` : '';
}

/** One row per provider: whose parcels it knows, and how often it may be asked. */
function overviewLines(manifests: readonly ProviderManifest[]): string[] {
  return [
    '| Provider | Carriers | Numbers a call | Calls | Minimum interval for a number |',
    '|---|---|---|---|---|',
    ...manifests.map(({ name, title, carriers, limits }) => {
      const { batchSize, callsPerSecond, dailyBudget, floorSeconds } = limits;
      const calls = [rateOf(callsPerSecond), ...(dailyBudget === undefined ? [] : [`${dailyBudget}/day`])];
      const codes = Object.keys(carriers);
      const served = codes.length > 6 ? `${codes.length}` : codes.join(', ');
      const cells = [title, served, batchSize, calls.join(', '), intervalOf(floorSeconds)];
      return `| \`${name}\`: ${cells.map((cell) => oneLine(String(cell))).join(' | ')} |`;
    }),
  ];
}

/** Providers count by the second or by the hour. */
function rateOf(perSecond: number): string {
  const rounded = (calls: number) => Math.round(calls * 100) / 100;
  return perSecond >= 0.1 ? `${rounded(perSecond)}/s` : `${rounded(perSecond * 3600)}/h`;
}
const intervalOf = (seconds: number) => (seconds === 0 ? 'none' : `${Math.round(seconds / 6) / 10} min`);
