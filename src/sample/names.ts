import type { OperatorTag } from '../resources/operators/record.ts';
import { chance, pick, type Random } from './random.ts';

/** A pool by name: its further tag, and how many node operators have a share in it. */
type PoolName = { name: string; tag?: string; path?: string; shares?: number };

const exchange = 'exchange';
const liquid = 'liquid staking';

/** The pools; on mainnet the first is the largest. Several names try what a reader may stumble over. */
export const poolNames: readonly PoolName[] = [
  { name: 'Sample Pool Alder', tag: liquid, shares: 60 },
  { name: 'Sample Pool Basalt', tag: exchange, shares: 20 },
  { name: 'Sample Pool Cedar', tag: exchange },
  { name: 'Sample Pool Zürich', tag: liquid, shares: 45 },
  { name: 'Sample Pool 東京', tag: exchange },
  { name: 'Sample Pool Dune', tag: 'custodian', path: '/tags/custodian' },
  { name: 'Sample Pool Ember', tag: liquid, shares: 40 },
  { name: 'Sample Pool 🦉 Owl', tag: exchange },
  { name: "Sample Pool O'Hara", tag: liquid, shares: 30 },
  { name: 'Sample Pool North/South', tag: 'wallet', path: '/tags/wallet', shares: 6 },
  { name: 'Sample Pool Fjord' },
  { name: 'Sample Pool 100%', tag: exchange, path: '/tags/exchange' },
  { name: 'Sample Pool دلتا', tag: liquid, path: '/tags/liquid-staking', shares: 24 },
  { name: 'Sample Pool Gorse', tag: exchange },
  { name: 'Sample Pool Salt, Pepper & Co', tag: exchange },
  { name: 'Sample Pool Chapter: Two', tag: liquid, shares: 20 },
  { name: 'Sample Pool Heath', tag: 'network', shares: 14 },
  { name: 'Sample Pool Iris', tag: exchange },
  { name: 'Sample Pool Juniper', tag: liquid, shares: 12 },
  { name: 'Sample Pool Kestrel' },
  { name: 'Sample Pool Larch', tag: exchange, shares: 3 },
  { name: 'Sample Pool São Tomé', tag: liquid, shares: 9 },
  { name: 'Sample Pool Marl', tag: 'custodian', path: '/tags/custodian' },
  { name: 'Sample Pool Nettle', tag: exchange },
  { name: 'Sample Pool Orchid', tag: liquid, shares: 8 },
  { name: 'Sample Pool Λίμνη', tag: exchange },
  { name: 'Sample Pool Pumice' },
  { name: 'Sample Pool Quartz', tag: exchange },
  { name: 'Sample Pool Reed', tag: liquid, shares: 4 },
  { name: 'Sample Pool Sorrel' },
  { name: 'Sample Pool Tamarisk', tag: exchange },
  { name: 'Sample Pool Umber', tag: 'wallet', path: '/tags/wallet' },
  { name: 'Sample Pool Vetch', tag: liquid, shares: 3 },
  { name: 'Sample Pool Willow' },
  { name: 'Sample Pool Xenon', tag: exchange },
  { name: 'Sample Pool Yarrow', tag: liquid, shares: 2 },
  { name: 'Sample Pool Zephyr' },
  { name: 'Sample Pool zephyr', tag: exchange },
  { name: 'Sample Pool Ångström', tag: 'custodian' },
  { name: 'Sample Pool Ебонит', tag: exchange },
];

/** A pool's tags: `pool`, and what kind of pool it is where that is known. */
export const poolTags = ({ tag, path }: PoolName): OperatorTag[] => [
  { name: 'pool', path: null, idType: null },
  ...(tag ? [{ name: tag, path: path ?? null, idType: null }] : []),
];

const first = [
  'Amber',
  'Bold',
  'Calm',
  'Dusk',
  'Eager',
  'Fair',
  'Gilded',
  'Hazel',
  'Ivory',
  'Jade',
  'Keen',
  'Lunar',
];
const second = [
  ...['Badger', 'Crane', 'Dormouse', 'Egret', 'Finch', 'Gannet', 'Heron', 'Ibex', 'Jackdaw', 'Kite', 'Lark'],
  ...['Marten', 'Newt', 'Otter', 'Plover', 'Quail', 'Raven'],
];
const unusual = [
  'Łódź',
  'サンプル',
  'نموذج',
  '🐝 Hive',
  "D'Arcy",
  'East/West',
  '99.9%',
  'Ops: Night',
  'Ash, Birch & Co',
  'Café Crème',
  'Дніпро',
  'שלום',
  '서울',
  '"Quoted"',
  '50% + 1',
  'Back\\slash',
  'Why?',
  'No #1',
  'amber badger',
  '👩‍🚀 Crew',
];

/** The node operators: every tenth name is an unusual one. */
export const nodeOperatorNames: readonly string[] = Array.from({ length: 200 }, (_, index) => {
  const plain = `${first[index % first.length]} ${second[Math.floor(index / first.length)]}`;
  return `Sample Operator ${index % 10 === 4 ? unusual[Math.floor(index / 10)] : plain}`;
});

/** A node operator's tags; most have none. */
export const nodeOperatorTags = (random: Random): OperatorTag[] => {
  if (chance(random, 0.6)) return [];
  return [
    pick(random, [
      { name: 'professional', path: '/tags/professional', idType: null },
      { name: 'solo', path: null, idType: null },
    ]),
  ];
};

/** Tags of a pool share, as services have them: one of its node operator, whose name is a label, and one of its pool. */
export const parentTags = (poolId: string, nodeOperatorId: string): OperatorTag[] => [
  { name: 'operator', path: `/o/${encodeURIComponent(nodeOperatorId)}`, idType: 'nodeOperator' },
  { name: poolId, path: `/o/${encodeURIComponent(poolId)}`, idType: 'pool' },
];

const unusualEns = ['sample-café', 'sample-例', 'sample-🦊', "sample-o'neil", 'sample-مثال'];

/** A name like those of ENS for some addresses, null for most. */
export function ensName(random: Random): string | null {
  if (chance(random, 0.9)) return null;
  if (chance(random, 0.05)) return `${pick(random, unusualEns)}.eth`;
  const name = `sample-${pick(random, first)}-${pick(random, second)}`.toLowerCase();
  return `${name}${Math.floor(random() * 1000)}.eth`;
}
