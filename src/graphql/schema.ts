import { type GraphQLInterfaceType, lexicographicSortSchema, printSchema } from 'graphql';
import '../resources/index.ts';
import './scalars.ts';
import './viewer.ts';
import { builder, nodeTypes } from './builder.ts';
import { meterFields } from './metering.ts';

/** The executable schema, made once. */
export const schema = builder.toSchema();
meterFields(schema);
for (const type of schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType))
  nodeTypes.add(type.name);

/** The text of `schema.graphql`. */
export const schemaText = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
