import { type MediaRange, mediaRanges, preferredType } from '../../kernel/media-types.ts';

const jsonTypes = ['application/json', 'application/graphql-response+json'] as const;
const streamTypes = ['multipart/mixed', 'text/event-stream'] as const;
type JsonType = (typeof jsonTypes)[number];
export type PartsType = (typeof streamTypes)[number];

/** The type of a single result. Of equal weight, JSON is preferred to a stream. */
export function acceptedType(accept: string | undefined): JsonType | PartsType | undefined {
  const ranges = mediaRanges(accept);
  const json = preferredType(ranges, jsonTypes);
  const stream = preferredType(ranges, streamTypes);
  return stream && stream.q > (json?.q ?? 0) ? stream.type : json?.type;
}

export const isJsonType = (type: string | undefined): type is JsonType =>
  jsonTypes.includes(type as JsonType);

/** The type of an error without a result, which is JSON even if only other types are acceptable. */
export const errorType = (accept: string | undefined): JsonType =>
  preferredType(mediaRanges(accept), jsonTypes)?.type ?? 'application/json';

/** Parts have the form of `deferSpec=20220824`; this parameter names later ones. */
const isOlderForm = ({ parameters }: MediaRange) => parameters.incrementalspec === undefined;

/** The type of a response in parts, which must be named: a wildcard does not ask for parts. */
export function acceptedParts(accept: string | undefined): PartsType | undefined {
  const named = mediaRanges(accept).filter(({ type }) => streamTypes.includes(type as PartsType));
  return preferredType(named.filter(isOlderForm), streamTypes)?.type;
}

export const acceptsEvents = (accept: string | undefined): boolean =>
  preferredType(mediaRanges(accept), ['text/event-stream']) !== undefined;
