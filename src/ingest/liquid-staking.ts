import { type Sql, sql } from '../db/rows.ts';

/**
 * Pools that issue a liquid staking token, under the names that services and explorers have for them. No service tags them.
 * In lower case, without spaces, dots, hyphens and underscores. Imported `operator-profiles` take precedence over this list.
 */
const liquidStakingPools: readonly string[] = [
  ...[
    'ankr',
    'stakefi',
    'bedrock',
    'bifrost',
    'claystack',
    'cream',
    'creamfinance',
    'dinero',
    'dineropirex',
    'pirex',
  ],
  ...[
    'diva',
    'divastaking',
    'etherfi',
    'frax',
    'fraxether',
    'fraxfinance',
    'geode',
    'geodefi',
    'hord',
    'hordfi',
  ],
  ...[
    'kelp',
    'kelpdao',
    'lido',
    'lidocsm',
    'lidosimpledvt',
    'liquidcollective',
    'mantle',
    'mantlelsp',
    'mantlemeth',
  ],
  ...['metapool', 'nodedao', 'originether', 'originprotocol', 'pstake', 'puffer', 'pufferfinance', 'renzo'],
  ...[
    'rocketpool',
    'sharedstake',
    'stader',
    'staderpermissioned',
    'staderpermissionless',
    'stafi',
    'stakehouse',
  ],
  ...['stakehound', 'staketogether', 'stakewise', 'swell', 'swellnetwork', 'tranchess'],
];

const known = new Set(liquidStakingPools);

/** Whether the name of a pool is in this list, in any letter case and spacing. */
export const isLiquidStakingPool = (name: string): boolean =>
  known.has(name.toLowerCase().replace(/[ ._-]+/g, ''));

/** The same check in SQL, for a column of names. */
export const isLiquidStakingColumn = (name: Sql): Sql =>
  sql`regexp_replace(lower(${name}), '[ ._-]+', '', 'g') = any(${[...liquidStakingPools]}::text[])`;
