import { lexicographicSortSchema, printSchema } from 'graphql';
import '../resources/index.ts';
import './scalars.ts';
import { builder } from './builder.ts';

/** The executable schema, made once. */
export const schema = builder.toSchema();

/** The text of `schema.graphql`. */
export const schemaText = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
