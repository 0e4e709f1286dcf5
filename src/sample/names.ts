import type { OperatorTag } from '../resources/operators/record.ts';

export const poolNames: readonly string[] = [
  "Alder|Basalt|Cedar|Zürich|東京|Dune|Ember|🦉 Owl|O'Hara|North/South|Fjord|100%|دلتا|Gorse|Salt, Pepper & Co",
  'Chapter: Two|Heath|Iris|Juniper|Kestrel|Larch|São Tomé|Marl|Nettle|Orchid|Λίμνη|Pumice|Quartz|Reed|Sorrel',
  'Tamarisk|Umber|Vetch|Willow|Xenon|Yarrow|Zephyr|zephyr|Ångström|Ебонит',
].flatMap((names) => names.split('|').map((name) => `Sample Pool ${name}`));

const poolKinds = ['liquid staking', 'exchange', 'exchange', 'custodian', 'wallet'];

export function poolTags(index: number): OperatorTag[] {
  const name = index % 7 === 5 ? undefined : poolKinds[index % poolKinds.length];
  const path = index % 4 === 3 ? `/tags/${name?.replace(' ', '-')}` : null;
  return [{ name: 'pool', path: null, idType: null }, ...(name ? [{ name, path, idType: null }] : [])];
}

const first = 'Amber Bold Calm Dusk Eager Fair Gilded Hazel Ivory Jade'.split(' ');
const second = [
  ...'Badger Crane Dormouse Egret Finch Gannet Heron Ibex Jackdaw Kite'.split(' '),
  ...'Łódź|サンプル|نموذج|🐝 Hive|East/West|99.9%|"Quoted"|Back\\slash|Why? No #1|👩‍🚀 Crew'.split('|'),
];

export const nodeOperatorNames: readonly string[] = Array.from(
  { length: 200 },
  (_, index) => `Sample Operator ${first[index % 10]} ${second[Math.floor(index / 10)]}`,
);

export const shareTags = (poolId: string, nodeOperatorId: string): OperatorTag[] => [
  { name: 'operator', path: `/o/${encodeURIComponent(nodeOperatorId)}`, idType: 'nodeOperator' },
  { name: poolId, path: `/o/${encodeURIComponent(poolId)}`, idType: 'pool' },
];
