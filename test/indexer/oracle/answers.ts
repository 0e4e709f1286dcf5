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

/** What two gateways answer differently, on both APIs; each question whose answers differ with both of them. */
export async function differentAnswers(run: Run, one: Gateway, other: Gateway) {
  const differences: { question: string; one: unknown; other: unknown }[] = [];
  let same = 0;
  const ask = async (question: string, from: (gateway: Gateway) => Promise<{ text: string }>) => {
    const answers = await Promise.all([one, other].map(async (g) => told(g, (await from(g)).text)));
    if (JSON.stringify(answers[0]) === JSON.stringify(answers[1])) same += 1;
    else differences.push({ question, one: answers[0], other: answers[1] });
  };
  const network = { 'x-service-network': 'hoodi' };
  for (const path of restPaths(run)) await ask(path, (gateway) => gateway.get(path, network));
  for (const query of graphqlQueries(run)) await ask(query, (gateway) => gateway.graphql(query));
  return { same, differences };
}
