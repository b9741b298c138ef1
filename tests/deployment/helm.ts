import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parseAllDocuments, stringify } from 'yaml';
import type { Manifest } from './manifest.ts';
import { filesIn, parseYaml, read } from './repository.ts';

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
const fitsSchema = ajv.compile(JSON.parse(read('k8s/chart/values.schema.json')));

type Scope = { chart: string; values: unknown; dot: unknown; variables: Record<string, unknown> };
type Node = { text: string } | { value: string } | { kind: 'with' | 'if' | 'range'; of: string; body: Node[] };

/** What `helm template` prints for a chart, as far as ours uses Go's templates. Anything else is an error. */
export function renderChart(chart: string, overrides: Record<string, unknown> = {}): Manifest[] {
  const [defaults] = parseYaml<Record<string, unknown>>(join(chart, 'values.yaml'));
  const values = merged(defaults ?? {}, overrides);
  if (!fitsSchema(values)) throw new Error(ajv.errorsText(fitsSchema.errors, { dataVar: 'values' }));
  return filesIn(join(chart, 'templates')).flatMap((path) => {
    const nodes = nodesOf(read(path));
    const text = print(nodes, { chart, values, dot: values, variables: {} });
    return parseAllDocuments(text).flatMap((document): Manifest[] => {
      if (document.errors[0]) throw new Error(`${path}: ${document.errors[0].message}`);
      return document.contents === null ? [] : [document.toJS() as Manifest];
    });
  });
}

/** Values over defaults, as Helm merges them: null takes a default away. */
function merged(defaults: Record<string, unknown>, values: Record<string, unknown>): Record<string, unknown> {
  const isMap = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const over = Object.entries(values).map(([name, value]) => {
    const before = defaults[name];
    return [name, isMap(before) && isMap(value) ? merged(before, value) : value];
  });
  const entries = Object.entries({ ...defaults, ...Object.fromEntries(over) });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function nodesOf(template: string): Node[] {
  const open: Node[][] = [[]];
  const add = (node: Node) => open.at(-1)?.push(node);
  for (const part of template.split(/(\s*\{\{- .*?\}\}|\{\{ .*?\}\})/s)) {
    const action = /^\s*\{\{-? (.*?) \}\}$/s.exec(part)?.[1];
    if (action === undefined) {
      add({ text: part });
      continue;
    }
    const [, kind, of = ''] = /^(with|if|range|end)\b ?(.*)$/.exec(action) ?? [];
    if (kind === 'end') open.pop();
    else if (kind === undefined) add({ value: action });
    else {
      const body: Node[] = [];
      add({ kind: kind as 'with' | 'if' | 'range', of, body });
      open.push(body);
    }
  }
  const [nodes, ...unclosed] = open;
  if (nodes === undefined || unclosed.length > 0) throw new Error('a block of the template is not closed');
  return nodes;
}

const isEmpty = (value: unknown) => !value || (typeof value === 'object' && Object.keys(value).length === 0);

function print(nodes: readonly Node[], scope: Scope): string {
  return nodes
    .map((node) => {
      if ('text' in node) return node.text;
      if ('value' in node) return inGo(evaluate(node.value, scope));
      if (node.kind === 'range') return printEach(node.of, node.body, scope);
      const value = evaluate(node.of, scope);
      if (isEmpty(value)) return '';
      return print(node.body, node.kind === 'with' ? { ...scope, dot: value } : scope);
    })
    .join('');
}

function printEach(header: string, body: Node[], scope: Scope): string {
  const [, key = '', value = '', of = ''] = /^(\$\w+), (\$\w+) := (.*)$/.exec(header) ?? [];
  const entries = Object.entries(evaluate(of, scope) as object).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([k, v]) => print(body, { ...scope, variables: { [key]: k, [value]: v } })).join('');
}

/** Helm reads all numbers of values as floating-point ones, and Go prints them in its own way. */
function inGo(value: unknown): string {
  const isLarge = typeof value === 'number' && Math.abs(value) >= 1_000_000;
  return isLarge ? value.toExponential().replace(/e\+(\d)$/, 'e+0$1') : String(value);
}

/** Go turns these into the text of the template. */
function evaluate(expression: string, scope: Scope): unknown {
  const [first = '', ...pipes] = expression.split(' | ');
  return pipes.reduce<unknown>(
    (value, pipe) => {
      const [name, argument = '0', further = ''] = pipe.split(' ');
      if (name === 'quote') return JSON.stringify(inGo(value));
      if (name === 'ternary')
        return value ? operand(argument, scope) : operand(pipe.replace(/^.*\((.*)\)$/, '$1'), scope);
      if (name === 'sha256sum') return createHash('sha256').update(String(value)).digest('hex');
      if (name === 'nindent') return `\n${String(value).replace(/^/gm, ' '.repeat(Number(argument)))}`;
      if (name === 'replace')
        return String(value).replaceAll(JSON.parse(argument) as string, String(operand(further, scope)));
      throw new Error(`teach tests/deployment/helm.ts about ${name}`);
    },
    operand(first, scope),
  );
}

function operand(text: string, scope: Scope): unknown {
  const [, path] = /^toYaml (.*)$/.exec(text) ?? [];
  if (path !== undefined) return stringify(operand(path, scope)).trimEnd();
  const [, alternatives] = /^or (.*)$/.exec(text) ?? [];
  if (alternatives !== undefined)
    return alternatives
      .split(' ')
      .map((each) => operand(each, scope))
      .find((each) => !isEmpty(each));
  const [, file] = /^\.Files\.Get "(.*)"$/.exec(text) ?? [];
  if (file !== undefined) return read(join(scope.chart, file));
  const [, asJson] = /^toJson (.*)$/.exec(text) ?? [];
  if (asJson !== undefined) return JSON.stringify(operand(asJson, scope));
  const [, texts] = /^kindIs "string" (.*)$/.exec(text) ?? [];
  if (texts !== undefined) return typeof operand(texts, scope) === 'string';
  const [, unset] = /^not (\.Values\S*)$/.exec(text) ?? [];
  if (unset !== undefined) return isEmpty(operand(unset, scope));
  const [, tested] = /^not \(kindIs "invalid" (.*)\)$/.exec(text) ?? [];
  if (tested !== undefined) return (operand(tested, scope) ?? null) !== null;
  if (text === '.') return scope.dot;
  if (text in scope.variables) return scope.variables[text];
  const [, keys] = /^\.Values\.([\w.]+)$/.exec(text) ?? [];
  if (keys === undefined) throw new Error(`teach tests/deployment/helm.ts about ${text}`);
  return keys.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], scope.values);
}
