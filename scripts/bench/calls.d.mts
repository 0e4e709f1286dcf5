import type { GraphQLObjectType } from 'graphql';

export function fieldTexts(type: GraphQLObjectType, known: Record<string, string>): Generator<string>;

/** The part of an OpenAPI document that `pathTexts` reads. */
type Paths = {
  paths: Record<
    string,
    { get?: { parameters?: { name: string; in: string; required?: boolean; schema: { enum?: string[] } }[] } }
  >;
};

export function pathTexts(
  document: Paths,
  values: { inPath: Record<string, string>; inQuery: Record<string, string> },
): Generator<string>;
