import { boundedMap } from '../../kernel/bounded.ts';
import { type MediaRange, mediaRanges, preferredType } from '../../kernel/media-types.ts';

const jsonTypes = ['application/json', 'application/graphql-response+json'] as const;
const streamTypes = ['multipart/mixed', 'text/event-stream'] as const;
type JsonType = (typeof jsonTypes)[number];
export type PartsType = (typeof streamTypes)[number];

type Accepted = { type: JsonType | PartsType | undefined; json: JsonType | undefined };
/** By header, in characters: callers send few, but may send any. */
const known = boundedMap<Accepted>(100_000, (_accepted, accept) => accept.length + 100);

/** The type of a single result, and whether that is JSON. Of equal weight, JSON is preferred to a stream. */
export function acceptedType(accept = ''): Accepted {
  let found = known.get(accept);
  if (!found) {
    const ranges = mediaRanges(accept);
    const json = preferredType(ranges, jsonTypes);
    const stream = preferredType(ranges, streamTypes);
    found =
      stream && stream.q > (json?.q ?? 0)
        ? { type: stream.type, json: undefined }
        : { type: json?.type, json: json?.type };
    known.set(accept, found);
  }
  return found;
}

/** The type of an error without a result, which is JSON even if only other types are acceptable. */
export const errorType = (accept: string | undefined): JsonType =>
  preferredType(mediaRanges(accept), jsonTypes)?.type ?? 'application/json';

/** Parts are sent in the form of `deferSpec=20220824`. Clients name later forms by `incrementalSpec`. */
const isOlderForm = ({ parameters }: MediaRange) => parameters.incrementalspec === undefined;

/** The type of a response in parts, which must be named: a wildcard does not ask for parts. */
export function acceptedParts(accept: string | undefined): PartsType | undefined {
  const named = mediaRanges(accept).filter(({ type }) => streamTypes.includes(type as PartsType));
  return preferredType(named.filter(isOlderForm), streamTypes)?.type;
}

export const acceptsEvents = (accept: string | undefined): boolean =>
  preferredType(mediaRanges(accept), ['text/event-stream']) !== undefined;
