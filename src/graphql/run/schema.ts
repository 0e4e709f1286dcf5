import { GraphQLDeferDirective, GraphQLStreamDirective } from '@graphql-tools/utils';
import {
  type GraphQLInterfaceType,
  type GraphQLSchema,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
  specifiedDirectives,
} from 'graphql';
import '../../resources/index.ts';
import '../schema/scalars.ts';
import '../schema/dataset-changed.ts';
import '../schema/datasets.ts';
import '../schema/viewer.ts';
import { builder, nodeTypes, rowTypes } from '../schema/builder.ts';
import { meterFields } from './metering.ts';

/** Removes the resolvers of pages and edges, which saves one call per row. */
function readPagesPlainly(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    const plain = type.name.endsWith('Connection')
      ? ['edges', 'nodes', 'pageInfo']
      : type.name.endsWith('Edge')
        ? ['node']
        : [];
    const fields = type.getFields();
    for (const name of plain) if (fields[name]) delete fields[name].resolve;
  }
}

export const schema = builder.toSchema({
  directives: [...specifiedDirectives, GraphQLDeferDirective, GraphQLStreamDirective],
});
readPagesPlainly(schema);
meterFields(schema);
for (const type of schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType))
  nodeTypes.add(type.name);
for (const type of Object.values(schema.getTypeMap()))
  if (isObjectType(type) && type.getFields().id && !nodeTypes.has(type.name)) rowTypes.add(type.name);

export const schemaText = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
