import { readFileSync } from 'node:fs';
import { editDistance } from '../kernel/edit-distance.ts';

type Environment = Record<string, string | undefined>;
type Found = { given: Environment; faults: string[] };

/** Settings that may hold credentials. `NAME_FILE` names the file of such a value. */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'REDIS_URL',
  'BEACON_URL',
  'EXECUTION_URL',
  'RELAY_URLS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
];

/** Empty variables count as unset. The environment has precedence over the file, also between NAME and NAME_FILE. */
export function withFile(environment: Environment, path: string, known: readonly string[]): Found {
  const { values, faults } = parse(path, [...known, ...secretSettings.map((name) => `${name}_FILE`)]);
  const set = (name: string) => Boolean(environment[name]);
  for (const name of Object.keys(values)) {
    const base = name.replace(/_FILE$/, '');
    if (set(base) || set(`${base}_FILE`)) delete values[name];
  }
  const own = Object.entries(environment).filter(([, value]) => value);
  return { given: { ...values, ...Object.fromEntries(own) }, faults };
}

/** Replaces each NAME_FILE by NAME, with the content of the file. */
export function withSecrets(environment: Environment, names = secretSettings): Found {
  const given = { ...environment };
  const faults: string[] = [];
  for (const name of names) {
    const path = given[`${name}_FILE`];
    if (!path) continue;
    if (given[name]) {
      faults.push(`${name} and ${name}_FILE are both set; leave one out.`);
      continue;
    }
    const content = contentOf(path);
    // Anything else may be the secret itself.
    const shown = /^\.{0,2}\//.test(path) ? ` is ${JSON.stringify(path)};` : ':';
    if (content.text) given[name] = content.text;
    else faults.push(`${name}_FILE${shown} ${content.fault ?? 'the file is empty.'}`);
  }
  return { given, faults };
}

function contentOf(path: string): { text?: string; fault?: string } {
  try {
    return { text: readFileSync(path, 'utf8').trim() }; // `trim` also removes a byte order mark
  } catch (error) {
    return { fault: `the file cannot be read: ${(error as NodeJS.ErrnoException).code}.` };
  }
}

function parse(path: string, known: readonly string[]): { values: Environment; faults: string[] } {
  const values: Environment = {};
  const faults: string[] = [];
  const { text, fault } = contentOf(path);
  if (fault) return { values, faults: [`The settings of ${JSON.stringify(path)}: ${fault}`] };
  for (const [index, line] of (text ?? '').split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    // No line is shown, because it may hold a password.
    const at = `${path}, line ${index + 1}:`;
    const [, name = '', value = ''] = /^\s*([A-Za-z_]\w*)=(.*?)\s*$/.exec(line) ?? [];
    if (!name) faults.push(`${at} NAME=value is needed.`);
    else if (!known.includes(name)) faults.push(`${at} ${unknown(name, known)}`);
    else if (name in values) faults.push(`${at} ${name} is given twice.`);
    else values[name] = value.replace(/^(["'])(.*)\1$/, '$2');
  }
  return { values, faults };
}

/** Variables of Node.js, of npm and of this program itself. */
const environmentOnly = /^(NODE_|NPM_|STAKEGRAPH_CONFIG$|(HTTPS?|NO)_PROXY$|OTEL_)/;

function unknown(name: string, known: readonly string[]): string {
  const upper = name.toUpperCase();
  const distances = known.map((other) => ({ other, distance: editDistance(upper, other) }));
  const { other, distance } = distances.reduce((best, each) => (each.distance < best.distance ? each : best));
  const isNear = distance <= Math.max(2, other.length / 4);
  // The name may be a piece of a secret that was wrapped.
  if (!isNear && !/^[A-Z][A-Z0-9_]*$/.test(name)) return 'the text before = is not a setting.';
  if (isNear) return `${name} is not a setting; did you mean ${other}?`;
  return environmentOnly.test(name)
    ? `${name} is read only from the environment.`
    : `${name} is not a setting.`;
}
