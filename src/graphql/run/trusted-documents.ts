import { readFileSync } from 'node:fs';
import { NoSchemaIntrospectionCustomRule, specifiedRules, validate } from 'graphql';
import { z } from 'zod';
import { type Settings, SettingsError } from '../../config/index.ts';
import { quoted } from '../../kernel/refusal.ts';
import { LimitsRule } from './limits.ts';
import { parseBounded } from './parse.ts';
import { PartsRule } from './parts-rule.ts';
import { schema } from './schema.ts';
import { TextRule } from './variables.ts';

export type TrustedDocuments = {
  byId: ReadonlyMap<string, string>;
  texts: ReadonlySet<string>;
  only: boolean;
};

const APOLLO = 'apollo-persisted-query-manifest';
const Manifest = z.object({
  format: z.literal(APOLLO),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1), body: z.string() })),
});
/** The format of Relay's `persistConfig.file` and GraphQL-Codegen's `persisted-documents.json`. */
const Texts = z.record(z.string().min(1), z.string());

export function trustedDocuments(
  settings: Pick<Settings, 'TRUSTED_DOCUMENTS' | 'TRUSTED_ONLY'>,
  own: readonly string[] = [],
): TrustedDocuments | undefined {
  const { TRUSTED_DOCUMENTS: file, TRUSTED_ONLY: only } = settings;
  if (file === undefined) {
    if (!only) return undefined;
    throw new SettingsError('TRUSTED_ONLY is on; TRUSTED_DOCUMENTS must name the file of the documents.');
  }
  const faults: string[] = [];
  const byId = new Map<string, string>();
  for (const [id, text] of entriesOf(file)) {
    const known = byId.get(id);
    const fault = known !== undefined && known !== text ? 'is given twice' : faultOf(text, only);
    if (fault) faults.push(`  ${quoted(id)}: ${fault}`);
    byId.set(id, text);
  }
  if (byId.size === 0) throw refused(file, 'has no documents');
  if (faults.length > 0) {
    const shown = faults.slice(0, MAX_SHOWN).join('\n');
    throw refused(file, `has ${faults.length} faulty entries of ${byId.size}:\n${shown}`);
  }
  return { byId, texts: new Set([...byId.values(), ...own]), only };
}

const MAX_SHOWN = 20;

const refused = (file: string, problem: string) =>
  new SettingsError(`TRUSTED_DOCUMENTS is ${quoted(file)}; the file ${problem}`);

function entriesOf(file: string): [id: string, text: string][] {
  const json = jsonOf(file);
  const isManifest = typeof json === 'object' && json !== null && 'operations' in json;
  const read = isManifest
    ? Manifest.transform(({ operations }) =>
        operations.map(({ id, body }): [string, string] => [id, body]),
      ).safeParse(json)
    : Texts.transform((texts) => Object.entries(texts)).safeParse(json);
  if (read.success) return read.data;
  const faults = read.error.issues.map(
    ({ path, message }) => `  ${path.join('.') || 'the file'}: ${message}`,
  );
  const forms = `{"<id>": "<text>"}, as Relay and GraphQL-Codegen write it, or Apollo's "${APOLLO}" version 1`;
  throw refused(file, `is neither ${forms}:\n${faults.slice(0, MAX_SHOWN).join('\n')}`);
}

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw refused(file, `cannot be read as JSON: ${(error as Error).message}`);
  }
}

function faultOf(text: string, only: boolean): string | undefined {
  try {
    const rules = [
      ...specifiedRules,
      LimitsRule,
      TextRule,
      PartsRule,
      ...(only ? [NoSchemaIntrospectionCustomRule] : []),
    ];
    return validate(schema, parseBounded(text), rules)[0]?.message;
  } catch (error) {
    return (error as Error).message;
  }
}
