import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';

const gateway = useGateway({ settings: { CACHE: true } });

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';
const query = '{ slashings(first: 2) { totalCount nodes { id } } }';

type Given = {
  query?: string;
  body?: string;
  token?: string;
  headers?: Record<string, string>;
  method?: string;
};
const ask = (accept: string, { query: text = query, body, token, headers, method = 'POST' }: Given = {}) =>
  gateway.fetch('/graphql', {
    method,
    headers: {
      authorization: `Bearer ${token ?? gateway.token}`,
      'content-type': JSON_TYPE,
      accept,
      ...headers,
    },
    ...(method === 'POST' && { body: body ?? JSON.stringify({ query: text }) }),
  });
const typeOf = ({ headers }: { headers: Headers }) => headers.get('content-type')?.split(';')[0];

/** A range as it is written, and what it means. */
type Range = { type: string; charset?: string | undefined; q: number };

const blank = fc.constantFrom('', ' ', '\t', '  ');
const inAnyCase = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.boolean()).map(([given, upper]) => (upper ? given.toUpperCase() : given));
const range = fc
  .record({
    type: fc.constantFrom(
      ...[JSON_TYPE, RESPONSE_TYPE, 'application/*', '*/*', 'text/html', 'text/*'],
      ...['multipart/mixed', 'text/event-stream', 'multipart/*', 'application/xml'],
    ),
    charset: fc.constantFrom(undefined, undefined, undefined, 'utf-8', 'UTF-8', '"utf-8"', 'latin1'),
    other: fc.constantFrom('', '', 'boundary=x', 'x="a, b;q=0"', 'deferSpec=20220824', 'level="\\"1;"'),
    q: fc.constantFrom(undefined, '0', '0.0', '0.000', '0.1', '0.25', '0.5', '0.9', '1', '1.0'),
    name: fc.constantFrom('q', 'Q'),
    blanks: fc.array(blank, { minLength: 6, maxLength: 6 }),
  })
  .chain(({ type, charset, other, q, name, blanks }) => {
    const parameters = [charset && `charset=${charset}`, other, q && `${name}=${q}`].filter(Boolean);
    const tail = parameters.map((text, at) => `${blanks[at]};${blanks[at + 1]}${text}`).join('');
    const meant: Range = { type, charset: charset?.replaceAll('"', '').toLowerCase(), q: Number(q ?? 1) };
    return inAnyCase(fc.constant(type)).map((named) => ({
      text: `${blanks[4]}${named}${tail}${blanks[5]}`,
      meant,
    }));
  });

/** The weight of a type by the definition of RFC 9110: that of the most specific range. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const [of] = type.split('/');
  for (const [own, needsCharset] of [
    [type, true],
    [type, false],
    [`${of}/*`, true],
    [`${of}/*`, false],
    ['*/*', true],
    ['*/*', false],
  ] as const) {
    const named = ranges.filter((each) => each.type === own && (each.charset === 'utf-8') === needsCharset);
    const known = named.filter(({ charset }) => charset === undefined || charset === 'utf-8');
    if (known.length > 0) return Math.max(...known.map(({ q }) => q));
  }
  return 0;
}

describe('the type of a response', () => {
  slow(
    'has the highest weight of those that can be sent, compiled, cached, by Yoga and of a refusal',
    async () => {
      const headers = fc.array(range, { minLength: 1, maxLength: 5 });
      let count = 0;
      await fc.assert(
        fc.asyncProperty(headers, async (ranges) => {
          const accept = ranges.map(({ text }) => text).join(',');
          const meant = ranges.map((each) => each.meant);
          const json = [JSON_TYPE, RESPONSE_TYPE].map((type) => [type, weightOf(type, meant)] as const);
          const streams = ['multipart/mixed', 'text/event-stream'].map(
            (type) => [type, weightOf(type, meant)] as const,
          );
          const bestJson = Math.max(...json.map(([, q]) => q));
          const bestStream = Math.max(...streams.map(([, q]) => q));
          const offered = bestStream > bestJson ? streams : json;
          const best = Math.max(bestJson, bestStream);
          const right =
            best === 0 ? [JSON_TYPE] : offered.filter(([, q]) => q === best).map(([type]) => type);

          // The same type from each way to answer: new documents by Yoga, repeated ones compiled, then from the cache.
          const own = query.replace('first: 2', `first: ${(count++ % 60) + 1}`);
          const answers = [];
          for (let time = 0; time < 4; time += 1) answers.push(await ask(accept, { query: own }));
          const [first] = answers;
          expect([accept, right]).toEqual([accept, expect.arrayContaining([typeOf(first as never)])]);
          for (const answer of answers) {
            expect([accept, answer.status, typeOf(answer)]).toEqual([
              accept,
              best === 0 ? 406 : 200,
              typeOf(first as never),
            ]);
          }
          const refused = await ask(accept, { token: 'x' });
          const ofRefusal =
            bestJson === 0 ? [JSON_TYPE] : json.filter(([, q]) => q === bestJson).map(([type]) => type);
          expect([refused.status, ofRefusal]).toEqual([401, expect.arrayContaining([typeOf(refused)])]);
        }),
        { ...runs(200), endOnFailure: true },
      );
    },
  );

  it.each([
    [`${JSON_TYPE}; q=0.1, ${RESPONSE_TYPE}; q=0.9`, RESPONSE_TYPE],
    [`${JSON_TYPE} ;\tq=0.9 , ${RESPONSE_TYPE} ; q=0.1`, JSON_TYPE],
    [`${JSON_TYPE}; q=0, */*`, RESPONSE_TYPE],
    [`${JSON_TYPE}; x="a,b;q=1"; q=0.1, ${RESPONSE_TYPE};q=0.2`, RESPONSE_TYPE],
    [`*/*, ${JSON_TYPE};q=0.5`, RESPONSE_TYPE],
    [`application/*;q=0.9, ${RESPONSE_TYPE}`, RESPONSE_TYPE],
    [`${JSON_TYPE};q=2, ${RESPONSE_TYPE};q=0.5`, RESPONSE_TYPE],
    ['*/*, text/event-stream', JSON_TYPE],
    ['text/event-stream; charset=utf-8', 'text/event-stream'],
    ['', JSON_TYPE],
  ])('to Accept: %s is %s', async (accept, type) => {
    for (let time = 0; time < 3; time += 1) expect(typeOf(await ask(accept))).toBe(type);
  });

  it.each([
    'application/json; q=0',
    '*/*; q=0',
    'application/json;q=high',
    'application/json; charset=latin1',
    ',',
  ])('is 406 to Accept: %s', async (accept) => {
    const { status, json } = await ask(accept);
    expect([status, json.errors[0].extensions.code]).toEqual([406, 'NOT_ACCEPTABLE']);
  });
});

describe('a refusal', () => {
  const large = { body: JSON.stringify({ query: '#'.repeat(300_000) }) };
  it.each([
    [400, 'BAD_INPUT', { body: '{' }],
    [401, 'UNAUTHENTICATED', { token: 'x' }],
    [405, 'METHOD_NOT_ALLOWED', { method: 'PUT' }],
    [413, 'TOO_LARGE', large],
    [415, 'UNSUPPORTED_MEDIA_TYPE', { headers: { 'content-type': 'text/plain' } }],
    [415, 'UNSUPPORTED_MEDIA_TYPE', { headers: { 'content-encoding': 'rot13' } }],
  ])(
    'with %i is a GraphQL response with the code %s, in the type that is accepted',
    async (status, code, given) => {
      const accepted = `${JSON_TYPE}; q=0.1, ${RESPONSE_TYPE}; q=0.9`;
      const { status: own, headers, json } = await ask(accepted, given as Given);
      expect([own, headers.get('content-type')]).toEqual([status, `${RESPONSE_TYPE}; charset=utf-8`]);
      expect(json).toEqual({
        errors: [{ message: expect.any(String), extensions: expect.objectContaining({ code }) }],
      });
      // As application/json, the body has the `detail` of REST, too.
      const plain = await ask(JSON_TYPE, given as Given);
      expect([plain.status, plain.headers.get('content-type')]).toEqual([
        status,
        `${JSON_TYPE}; charset=utf-8`,
      ]);
      expect(plain.json).toEqual({ detail: plain.json.detail, errors: json.errors });
      expect(plain.json.detail).toBeDefined();
    },
  );
});
