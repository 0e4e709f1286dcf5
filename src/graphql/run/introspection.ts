import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { boundedMap } from '../../kernel/bounded.ts';
import { JsonText } from '../../kernel/json-text.ts';
import { limits } from './limits.ts';
import { isSkipped, type Values } from './size-arguments.ts';
import { freeTypename } from './typename.ts';

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = (document: DocumentNode): Fragments =>
  new Map(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );

/** Characters of punctuation for each JSON field. */
export const MARKS = 4;

/** Counts the fields and bytes of `__schema` and `__type` exactly, up to the limit. */
export function introspectionCounter(schema: GraphQLSchema, fragments: Fragments, values: Values) {
  const info = { schema } as GraphQLResolveInfo;
  let left = limits.introspection + 1;
  let steps = left * 4;
  let bytes = 0;

  function ofSet(set: SelectionSetNode, type: GraphQLNamedType, source: unknown): void {
    const free = freeTypename(set);
    for (const selection of set.selections) {
      steps -= 1;
      if (steps <= 0) left = 0;
      if (left <= 0) return;
      if (selection === free || isSkipped(selection, values)) continue;
      if (selection.kind === Kind.FIELD) ofField(selection, type, source);
      else {
        const fragment =
          selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
        if (fragment) ofSet(fragment.selectionSet, type, source);
      }
    }
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType, source: unknown): void {
    const name = node.name.value;
    left -= 1;
    bytes += (node.alias?.value ?? name).length + MARKS;
    if (name === '__typename') bytes += parent.name.length;
    else if (isObjectType(parent)) ofValue(node, parent.getFields()[name], source);
  }

  function ofValue(node: FieldNode, field: GraphQLField<unknown, unknown> | undefined, source: unknown) {
    const value = field && resolved(field, node, source);
    if (!field || value === null || value === undefined) return;
    for (const entry of Array.isArray(value) ? value : [value]) {
      if (left <= 0) return;
      if (entry !== value) left -= 1;
      if (node.selectionSet) ofSet(node.selectionSet, getNamedType(field.type), entry);
      else bytes += String(entry).length;
      bytes += MARKS;
    }
  }

  function resolved(field: GraphQLField<unknown, unknown>, node: FieldNode, source: unknown): unknown {
    try {
      const given = field.args.length > 0 ? getArgumentValues(field, node, values) : {};
      return field.resolve?.(source, given, undefined, info);
    } catch {
      return null;
    }
  }

  return (node: FieldNode): { fields: number; bytes: number; introspection: number } => {
    const before = { left, bytes };
    left -= 1;
    ofValue(node, node.name.value === '__schema' ? SchemaMetaFieldDef : TypeMetaFieldDef, undefined);
    const fields = before.left - left;
    return { fields, bytes: bytes - before.bytes, introspection: fields };
  };
}

export function isIntrospection(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const fragments = new Map(fragmentsOf(document));
  const asksForSchema = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value.startsWith('__');
      if (selection.kind === Kind.INLINE_FRAGMENT) return asksForSchema(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      fragments.delete(selection.name.value);
      return !fragment || asksForSchema(fragment.selectionSet);
    });
  return operation.operation === 'query' && asksForSchema(operation.selectionSet);
}

/** In characters: about 10 responses to the largest introspection queries of tools. */
const CACHE_MAX_TEXT = 5_000_000;
const OVERHEAD = 500;

export function introspectionAnswers(schema: GraphQLSchema) {
  const kept = boundedMap<JsonText>(
    CACHE_MAX_TEXT,
    ({ pieces }, key) => (pieces[0]?.length ?? 0) + key.length + OVERHEAD,
  );
  return (document: DocumentNode, operation: OperationDefinitionNode, variables: Values): ExecutionResult => {
    const operationName = operation.name?.value;
    const values = operation.variableDefinitions?.map(({ variable }) => variables[variable.name.value]) ?? [];
    // Object and list values are invalid. They are not cached, because `JSON.stringify` fails on deep nesting.
    const plain = values.every((value) => typeof value !== 'object' || value === null);
    const key = plain ? JSON.stringify([document.loc?.source.body, operationName, values]) : undefined;
    const known = key === undefined ? undefined : kept.get(key);
    if (known) return { data: known as never };
    const result = execute({ schema, document, operationName, variableValues: variables });
    if (result instanceof Promise) throw new Error('Introspection must be synchronous.');
    if (result.errors || !result.data) return result;
    const answer = new JsonText([JSON.stringify(result.data)], 0);
    if (key !== undefined) kept.set(key, answer);
    return { data: answer as never };
  };
}
