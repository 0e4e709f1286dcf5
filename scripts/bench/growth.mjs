// Cost as work grows: page depth, table size, batch width and connections, each with its slope; and a soak.
import { nested, page, pageOf } from './cases.mjs';
import { bytesOf, check, contenders, requestsFor } from './contenders.mjs';
import { memoryOf, quietly } from './processes.mjs';
import { markdown, median, slope } from './report.mjs';

const gateway = contenders.find(({ base }) => base);
const hand = contenders.find(({ name }) => name === 'by hand');
const round = (value, digits = 2) => (value === null ? null : Number(value.toFixed(digits)));

/** A question of so many rows, each of which has `key`; `at` gives that of a place. */
const question = (key, rows, at) => ({ name: 'growth', key, rows, at });

/** Measures points in turn, round by round; `cost` is what an answer takes of the time, in milliseconds. */
async function series(title, unit, points, { load, rounds, milliseconds, warmUp }) {
  for (const point of points) {
    const { contender = gateway } = point;
    point.requests = requestsFor(contender, point.asked, point.database);
    point.bytes = bytesOf(point.requests);
    point.rounds = [];
    await check(contender, point.server, point.requests, point.asked);
    await load({
      port: point.server.port,
      bytes: point.bytes,
      connections: 16,
      milliseconds: warmUp,
    });
  }
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const { server, bytes, rounds, connections = 16 } of points) {
      const result = await quietly(() => load({ port: server.port, bytes, connections, milliseconds }));
      rounds.push({ ...result, cost: 1_000 / result.rate });
    }
  }
  const of = (point, name) => median(point.rounds.map((one) => one[name]));
  const first = of(points[0], 'cost');
  const table = points.map((point) => ({
    [unit]: point.x.toLocaleString('en'),
    'answers/s': round(of(point, 'rate'), 0),
    'ms an answer': round(of(point, 'cost'), 3),
    'of the first': round(of(point, 'cost') / first),
    'p50 ms': round(of(point, 'p50')),
    'p99 ms': round(of(point, 'p99')),
    failed: point.rounds.reduce(
      (sum, one) => sum + Object.values(one.failures).reduce((a, b) => a + b, 0),
      0,
    ),
  }));
  const grows = round(slope(points.map((point) => [Math.max(1, point.x), of(point, 'cost')])));
  console.log(`\n### ${title}\n\n${markdown(table)}\n\nslope ${grows}`);
  return { title, table, slope: grows, raw: points.map(({ x, rounds }) => ({ x, rounds })) };
}

/** Every series; `small` holds a tenth of the rows of `database`. */
export async function growth(measure) {
  const { database, small, depth, tenth } = measure;
  const server = await gateway.start(database);
  const lesser = await gateway.start(small);
  const limit = { server: await hand.start(database), database, contender: hand };
  const big = { server, database };
  const little = { server: lesser, database: small };
  const depths = [0, 1_000, depth];
  const key = 'sumCommissionPaid';
  const days = 'sumCorrectHead';
  /** Batch width, with the limit beside it: how much of the growth is that of the rows. */
  const widths = async (name, first, connections) => {
    const points = [1, 10, 100].map((x) => ({
      x,
      connections,
      asked: question(days, x * first, (place) => ({
        ...nested(x, first, place),
        path: `attestations/${place}/${x}/${first}`,
      })),
    }));
    const title = `Batch width, operators with ${name} each, ${connections} ${connections === 1 ? 'caller' : 'callers'}`;
    const of = (at) => points.map((point) => ({ ...at, ...point }));
    return [
      await series(title, 'parents', of(big), measure),
      await series(`${title}, by hand`, 'parents', of(limit), measure),
    ];
  };
  const results = [
    await series(
      'Page depth, GraphQL',
      'rank',
      depths.map((x) => ({ ...big, x, asked: question(key, 15, (place) => pageOf(x + place)) })),
      measure,
    ),
    await series(
      'Page depth, REST',
      'rank',
      depths.map((x) => ({
        ...big,
        x,
        asked: question(key, 15, (place) => ({ url: page.rest(x + place) })),
      })),
      measure,
    ),
    await series(
      'Table size, stake authorities',
      'authorities',
      [little, big].map((at, index) => ({
        ...at,
        x: tenth.authorities * (index ? 10 : 1),
        asked: question(key, 15, (place) => pageOf(tenth.authorities / 2 + place)),
      })),
      measure,
    ),
    await series(
      'Table size, attestations',
      'entities × days',
      [little, big].map((at, index) => ({
        ...at,
        x: index ? measure.sizes.entities * measure.sizes.days : tenth.entities * tenth.days,
        asked: question(days, 300, (place) => nested(10, 30, place)),
      })),
      measure,
    ),
    ...(await widths('30 days', 30, 16)),
    ...(await widths('30 days', 30, 1)),
    ...(await widths('one day', 1, 16)),
    ...(await widths('one day', 1, 1)),
    await series(
      'Connections, 15 stake authorities',
      'connections',
      [1, 16, 256, 1_000].map((x) => ({
        ...big,
        x,
        connections: x,
        asked: question(key, 15, (place) => pageOf(place)),
      })),
      measure,
    ),
  ];
  return results;
}

/** 1,000 connections for a while: nothing may fail, memory may not grow, and the tail is that of 256 times four. */
export async function soak({ database, load, seconds, say }) {
  const server = await gateway.start(database);
  const asked = question('sumCommissionPaid', 15, (place) => pageOf(place));
  const requests = requestsFor(gateway, asked, database);
  await check(gateway, server, requests, asked);
  const of = (connections, milliseconds) =>
    load({ port: server.port, bytes: bytesOf(requests), connections, milliseconds });
  await of(256, 3_000);
  const fewer = await of(256, Math.min(10_000, seconds * 500));
  await of(1_000, 3_000);
  const memory = [memoryOf(server.pid)];
  const timer = setInterval(() => memory.push(memoryOf(server.pid)), 5_000);
  const many = await of(1_000, seconds * 1_000).finally(() => clearInterval(timer));
  const row = (connections, { rate, p50, p99, failures }) => ({
    connections,
    'answers/s': round(rate, 0),
    'p50 ms': round(p50),
    'p99 ms': round(p99),
    failed: JSON.stringify(failures),
  });
  console.log(`\n### ${seconds} s of 1,000 connections\n\n${markdown([row(256, fewer), row(1_000, many)])}`);
  console.log(
    `\np99 ${round(many.p99 / fewer.p99)} × that of 256; memory every 5 s: ${memory.join(', ')} MB`,
  );
  say('done');
  return { fewer, many, memory };
}
