import type { Gateway } from '../../support/gateway.ts';
import { graphqlQueries, restPaths } from './questions.ts';
import type { Run } from './run.ts';

/** Means of hours are sums of doubles, whose last digits depend on the order. */
const rounded = (_key: string, value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value;

/** An answer without what differs between gateways: their address, and revisions in links. */
const told = (gateway: Gateway, text: string): unknown => {
  const neutral = text.replaceAll(gateway.url, '').replaceAll(/([?&])revision=\d+&?/g, '$1');
  // Digits past 2^53 stay as text.
  return JSON.parse(neutral.replaceAll(/(?<=[:[,])(-?\d{16,})(?=[,}\]])/g, '"$1"'), rounded);
};

/** Where two values differ, the first few places. */
function* places(one: any, other: any, at = ''): Generator<string> {
  if (JSON.stringify(one) === JSON.stringify(other)) return;
  const both = [one, other].every((value) => typeof value === 'object' && value !== null);
  if (!both)
    yield `${at} is ${JSON.stringify(one)?.slice(0, 200)}, and ${JSON.stringify(other)?.slice(0, 200)}`;
  else
    for (const key of Object.keys({ ...one, ...other })) yield* places(one[key], other[key], `${at}.${key}`);
}

/** What two gateways answer differently, on both APIs; each question with where the answers differ. */
export async function differentAnswers(run: Run, one: Gateway, other: Gateway) {
  const differences: string[] = [];
  const refused: string[] = [];
  let same = 0;
  const ask = async (question: string, from: (gateway: Gateway) => Promise<{ text: string }>) => {
    const answers = await Promise.all([one, other].map(async (g) => told(g, (await from(g)).text)));
    if (JSON.stringify(answers[0]) === JSON.stringify(answers[1])) same += 1;
    else differences.push(`${question}: ${[...places(answers[0], answers[1])].slice(0, 3).join('; ')}`);
  };
  const network = { 'x-service-network': 'hoodi' };
  for (const path of restPaths(run)) {
    await ask(path, async (gateway) => {
      const answer = await gateway.get(path, network);
      if (answer.status !== 200) refused.push(`${path}: ${answer.text}`);
      return answer;
    });
  }
  for (const query of graphqlQueries(run)) {
    await ask(query, async (gateway) => {
      const { extensions, ...rest } = (await gateway.graphql(query)).json;
      if (rest.errors) refused.push(`${query}: ${JSON.stringify(rest.errors)}`);
      return { text: JSON.stringify(rest) };
    });
  }
  return { same, differences, refused };
}
