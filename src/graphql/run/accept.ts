import Negotiator from 'negotiator';

const charset = ';charset=utf-8';
const types = [`application/json${charset}`, `application/graphql-response+json${charset}`];
const streams = ['multipart/mixed', 'text/event-stream'];

/** Parameters such as `deferSpec` do not affect the choice of a type. */
export const otherParameters = /;\s*(?!(?:q|charset)\s*=)[^;,"]*(?:"[^"]*")?/gi;

/** Prefers JSON to a stream with the same `q`. */
export function acceptedType(accept: string | undefined): string | undefined {
  const ranges = (accept || '*/*').replace(otherParameters, '').split(',');
  const isStream = (range: string) => streams.some((type) => range.trim().toLowerCase().startsWith(type));
  const ordered = [...ranges.filter((range) => !isStream(range)), ...ranges.filter(isStream)];
  const [best] = new Negotiator({ headers: { accept: ordered.join(',') } }).mediaTypes([
    ...types,
    ...streams,
  ]);
  return best?.replace(charset, '');
}
