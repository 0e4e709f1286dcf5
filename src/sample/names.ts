import type { OperatorTag } from '../resources/operators/record.ts';

// All names are invented. Some have letters, signs and lengths that real names have too.

type PoolKind = { tag: string; suffix: string };
const poolKinds: PoolKind[] = [
  { tag: 'liquid staking', suffix: 'Liquid' },
  { tag: 'exchange', suffix: 'Exchange' },
  { tag: 'exchange', suffix: 'Exchange' },
  { tag: 'custodian', suffix: 'Custody' },
  { tag: 'wallet', suffix: 'Wallet' },
];
const poolKind = (index: number): PoolKind | undefined =>
  index % 7 === 5 ? undefined : poolKinds[index % poolKinds.length];

export const poolNames: readonly string[] = [
  "Alder|Basalt|Cedar|Zürich|東京|Dunlin|Ember|🦉 Owl|O'Hara|North/South|Fjord|دلتا|100%|Gorse|Salt, Pepper & Co",
  'Chapter: Two|Heath|Iris|Juniper|Kestrel|Larch|São Tomé|Marl|Nettle|Orchid|Λίμνη|Pumice|Quartz|Reed|Sorrel',
  'Tamarisk|Umber|Vetch|Willow|Xenon|Yarrow|Zephyr|zephyr|Ångström|Ебонит',
]
  .flatMap((names) => names.split('|'))
  .map((name, index) => `${name} ${poolKind(index)?.suffix ?? 'Staking'}`);

export function poolTags(index: number): OperatorTag[] {
  const name = poolKind(index)?.tag;
  const path = index % 4 === 3 ? `/tags/${name?.replace(' ', '-')}` : null;
  return [{ name: 'pool', path: null, idType: null }, ...(name ? [{ name, path, idType: null }] : [])];
}

const first = 'Amber Bold Calm Dusk Eager Fair Gilded Hazel Ivory Jade'.split(' ');
const second = [
  ...'Badger Crane Dormouse Egret Finch Gannet Heron Ibex Jackdaw Kite'.split(' '),
  ...'Lapwing Marten Nuthatch Osprey Plover Quail Rook Stoat Teal Wren'.split(' '),
];
/** Every fourth name from the hundredth on. */
const uncommon =
  'Łódź Nodes|サクラノード|نموذج|🐝 Hive|East/West Nodes|99.9% Uptime|"Quorum" Labs|Back\\slash Labs|Why Not? #1|👩‍🚀 Crew'.split(
    '|',
  );

export const nodeOperatorNames: readonly string[] = Array.from({ length: 200 }, (_, index) => {
  const other = index >= 100 && index % 4 === 0 ? uncommon[(index - 100) / 4] : undefined;
  return other ?? `${first[index % 10]} ${second[Math.floor(index / 10)]}`;
});

export const poolShareTags = (poolId: string, nodeOperatorId: string): OperatorTag[] => [
  { name: 'operator', path: `/o/${encodeURIComponent(nodeOperatorId)}`, idType: 'nodeOperator' },
  { name: poolId, path: `/o/${encodeURIComponent(poolId)}`, idType: 'pool' },
];

const places =
  'Summit Ridge Harbour Meadow Glacier Orchard Canyon Island Lagoon Moor Prairie Delta Cape Grove Tundra Valley Bluff Creek Steppe Hollow'.split(
    ' ',
  );
const makers =
  'Forge Lantern Anvil Compass Loom Mill Beacon Kiln Quarry Bridge Signal Harrow Anchor Bellows Mason Sextant Spindle Trellis Wharf Chisel'.split(
    ' ',
  );

/** Of validators of other networks: 400 names. */
export function validatorName(index: number): string {
  if (index % 200 === 28) return 'Ποταμός Κόμβος';
  if (index % 200 === 49) return '島ノード';
  return `${places[index % 20]} ${makers[(index + Math.floor(index / 20)) % 20]}`;
}

const stakePoolKinds = [
  ...['Stake Pool', 'Liquid Stake', 'Community Pool', 'Reserve', 'Growth Pool', 'Delegation'],
  ...['Commons', 'Treasury Stake', 'Harvest'],
];
const stakePools = 'Alcove Bivouac Cinder Driftwood Équinoxe Fathom Gyre Hollow Isthmus Joule'.split(' ');

/** Of stake pools of Solana: 90 names. */
export const stakePoolName = (index: number): string =>
  `${stakePools[index % 10]} ${stakePoolKinds[Math.floor(index / 10)]}`;
