import {
  isRequired,
  type Limit,
  type ProviderManifest,
  settingsOf,
  verifiesCallbacks,
} from '@pts/carriers/providers/manifest';
import { LIMITS } from '@pts/contract/limits';
import type { Setting } from '@pts/core/settings/setting';
import { SETTINGS } from '@pts/runtime/settings/settings';

/** A part of a file that is made from the manifests of the providers: the lines between its two marks. */
export type Part = { path: string; name: string; render(manifests: readonly ProviderManifest[]): string[] };

export const COMMAND = 'npm run generate-providers';

/** Every such part. To add a provider, run the command; do not edit these lines. */
export const PARTS: readonly Part[] = [
  { path: '.env.example', name: 'providers', render: (manifests) => manifests.flatMap(environmentLines) },
  { path: 'docker/compose.yaml', name: 'providers', render: composeLines },
  {
    path: 'k8s/base/carrier-poller.yaml',
    name: 'provider keys',
    render: (manifests) => references(manifests.flatMap(secrets)),
  },
  { path: 'k8s/base/api.yaml', name: 'callback keys', render: (manifests) => references(callbackKeys(manifests)) },
  { path: 'docs/settings.md', name: 'settings', render: settingLines },
  { path: 'docs/carriers.md', name: 'overview', render: overviewLines },
  { path: 'docs/carriers.md', name: 'providers', render: (manifests) => manifests.flatMap(guideLines) },
];

/** The file's text with the part as it should be. @throws Error when the file lacks the marks. */
export function withPart(text: string, part: Part, manifests: readonly ProviderManifest[]): string {
  const [first, last] = [`generated: ${part.name} (${COMMAND})`, `end of generated: ${part.name}`];
  const lines = text.split('\n');
  const [from, to] = [first, last].map((mark) => lines.findIndex((line) => line.includes(mark)));
  if (from === undefined || to === undefined || from < 0 || to < from) {
    throw new Error(`${part.path} must have a line with "${first}" and, below it, one with "${last}"`);
  }
  const indent = /^\s*/.exec(lines[from] ?? '')?.[0] ?? '';
  const made = part.render(manifests).map((line) => (line === '' ? '' : indent + line));
  return [...lines.slice(0, from + 1), ...made, ...lines.slice(to)].join('\n');
}

const given = ({ settings }: Pick<ProviderManifest, 'settings'>) => Object.values(settings).filter(isRequired);
const secrets = (manifest: ProviderManifest) => settingsOf(manifest).filter(({ secret }) => secret);
/** The secrets with which the API verifies callbacks. */
const callbackKeys = (manifests: readonly ProviderManifest[]) => manifests.flatMap(secrets).filter(verifiesCallbacks);
const defaultOf = ({ fallback }: Setting<unknown>) => (fallback === undefined ? '' : String(fallback));
const oneLine = (text: string) => text.replaceAll('|', '\\|');

function environmentLines(manifest: ProviderManifest): string[] {
  const on = given(manifest).map(({ env }) => env);
  return [
    `# ${manifest.title}: PROVIDERS calls it ${manifest.name}; without PROVIDERS it is on with ${on.join(' and ')}.`,
    '',
    ...settingsOf(manifest).flatMap((setting) => [
      `# ${setting.about}${isRequired(setting) ? ` (${setting.obtain})` : ''}`,
      `# ${setting.env}=${defaultOf(setting)}`,
      '',
    ]),
  ];
}

/** What most providers can be told, by the end of the variables: the pages explain it once. */
const COMMON: Readonly<Record<string, string>> = {
  BASE_URL: 'address of the API, for example of its sandbox',
  CALLS_PER_SECOND: 'calls per second, over all processes',
  FLOOR_SECONDS: 'minimum seconds between two queries of a number',
  DAILY_BUDGET: 'calls per UTC day',
};
const isCommon = ({ env }: Setting<unknown>) => Object.keys(COMMON).some((end) => env.endsWith(`_${end}`));
const code = (text: string) => `\`${text}\``;

/** A row for each setting of the service; then the providers' own, of which secrets and what is common share a row. */
function settingLines(manifests: readonly ProviderManifest[]): string[] {
  const common = Object.entries(COMMON).map(
    ([end, about]) => `| ${code(`<PROVIDER>_${end}`)} | [by provider](../.env.example) | ${about} |`,
  );
  return [
    '',
    '| Variable | Default | |',
    '|---|---|---|',
    ...Object.values(SETTINGS).map(settingRow),
    ...manifests.flatMap(ownRows),
    ...common,
    '',
  ];
}

function settingRow(setting: Setting<unknown>): string {
  const { env, about, secret, fallback } = setting;
  const value = 'fallback' in setting ? (fallback === undefined ? '' : code(defaultOf(setting))) : '**required**';
  const cell = [value === '``' ? '' : value, secret ? 'secret' : ''].filter(Boolean).join(', ');
  return `| ${code(env)} | ${cell} | ${oneLine(about)}${boundsOf(setting)} |`;
}

/** The values that a number may have, and the limits that an installation may change. */
function boundsOf({ env, schema }: Setting<unknown>): string {
  if (env === SETTINGS.rateLimits.env)
    return `. By default ${code(
      Object.entries(LIMITS)
        .map((pair) => pair.join('='))
        .join(','),
    )}`;
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  return minimum === undefined || maximum === undefined ? '' : ` (${minimum} to ${maximum})`;
}

function ownRows(manifest: ProviderManifest): string[] {
  const own = settingsOf(manifest).filter((setting) => !isCommon(setting));
  const secret = own.flatMap(({ env, secret }) => (secret ? [code(env)] : []));
  return [
    ...(secret.length > 0
      ? [`| ${secret.join(', ')} | secret | [${manifest.title}](carriers.md#${anchorOf(manifest.title)}) |`]
      : []),
    ...own.filter(({ secret }) => !secret).map(settingRow),
  ];
}

/** The name under which Markdown links to a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');

/** The API gets no secrets but those that verify callbacks: a provider is on if its last required setting is present. */
function composeLines(manifests: readonly ProviderManifest[]): string[] {
  const on = manifests.map((manifest) => `\${${given(manifest).at(-1)?.env}:+${manifest.name}}`).join(',');
  const open = manifests.flatMap(settingsOf).filter(({ secret }) => !secret);
  const variable = ({ env }: { env: string }) => `  ${env}: \${${env}:-}`;
  return [
    'x-providers: &providers',
    `  PROVIDERS: \${PROVIDERS:-${on}}`,
    variable({ env: 'PROVIDER_ROUTES' }),
    ...open.map(variable),
    '',
    '# Only for the process that receives their callbacks.',
    ...block('x-callback-keys: &callback-keys', callbackKeys(manifests).map(variable)),
    '',
    '# Only for what queries the providers.',
    'x-provider-keys: &provider-keys',
    ...manifests.flatMap(secrets).map(variable),
  ];
}

/** A secret's key is its variable in lower case with hyphens. */
export const secretKey = ({ env }: Setting<unknown>): string => env.toLowerCase().replaceAll('_', '-');

/** An empty mapping must be written explicitly. */
function block(head: string, lines: string[]): string[] {
  return lines.length > 0 ? [head, ...lines] : [`${head} {}`];
}

function references(keys: readonly Setting<unknown>[]): string[] {
  return keys.flatMap((setting) => [
    `- name: ${setting.env}`,
    `  valueFrom: { secretKeyRef: { name: parcel-tracking, key: ${secretKey(setting)}, optional: true } }`,
  ]);
}

/** One row per provider: what it can do, and how much of it. */
function overviewLines(manifests: readonly ProviderManifest[]): string[] {
  return [
    '| Provider | Can, besides read | Carriers | Numbers a call | Calls | Minimum interval for a number |',
    '|---|---|---|---|---|---|',
    ...manifests.map(({ name, title, capabilities, carriers, limits }) => {
      const { batchSize, callsPerSecond, dailyBudget, floorSeconds } = limits;
      const calls = [
        rateOf(limitOf(callsPerSecond)),
        ...(dailyBudget === undefined ? [] : [`${limitOf(dailyBudget)} a day`]),
      ];
      const codes = Object.keys(carriers);
      const served = codes.length > 6 ? `${codes.length}` : codes.join(', ');
      const cells = [
        title,
        capabilities.filter((capability) => capability !== 'read').join(', '),
        served,
        limitOf(batchSize),
        calls.join(', '),
        intervalOf(limitOf(floorSeconds)),
      ];
      return `| \`${name}\`: ${cells.map((cell) => oneLine(String(cell))).join(' | ')} |`;
    }),
  ];
}

const limitOf = (limit: Limit) => (typeof limit === 'number' ? limit : limit.fallback);
/** Providers count by the second or by the hour. */
function rateOf(perSecond: number): string {
  const rounded = (calls: number) => Math.round(calls * 100) / 100;
  return perSecond >= 0.1 ? `${rounded(perSecond)} a second` : `${rounded(perSecond * 3600)} an hour`;
}
const intervalOf = (seconds: number) => (seconds === 0 ? 'none' : `${Math.round(seconds / 6) / 10} min`);

/** A section for each provider: what to set, and how to get it. */
function guideLines(manifest: ProviderManifest): string[] {
  const { title, about, cost = 'free', requires } = manifest;
  const namesByHow = new Map<string, string[]>();
  for (const { env, obtain } of given(manifest))
    namesByHow.set(obtain, [...(namesByHow.get(obtain) ?? []), `\`${env}\``]);
  const needs = Object.entries(requires).map(([carrier, fields]) => `${carrier} (${fields.join(', ')})`);
  const optional = settingsOf(manifest).filter((setting) => !isRequired(setting) && !isCommon(setting));
  return [
    `### ${title}`,
    '',
    `${about.charAt(0).toUpperCase()}${about.slice(1)}.${cost === 'free' ? '' : ` Charged ${cost}.`}`,
    '',
    ...Array.from(namesByHow, ([how, names]) => `- Required: ${names.join(', ')}: ${how}`),
    ...optional.map(({ env, about }) => `- Optional: \`${env}\`: ${about}`),
    ...(needs.length > 0 ? [`- Needs besides the number: ${needs.join(', ')}`] : []),
    '',
  ];
}
