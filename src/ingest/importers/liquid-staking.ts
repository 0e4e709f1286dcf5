import { type Sql, sql } from '../../db/rows.ts';

/**
 * Names of liquid staking pools at services and explorers, because no service tags these pools. Imported
 * `operator-profiles` take precedence.
 */
const liquidStakingPools: readonly string[] = `
  ankr stakefi bedrock bifrost claystack cream creamfinance dinero dineropirex pirex diva
  divastaking etherfi frax fraxether fraxfinance geode geodefi hord hordfi kelp kelpdao lido
  lidocsm lidosimpledvt liquidcollective mantle mantlelsp mantlemeth metapool nodedao originether
  originprotocol pstake puffer pufferfinance renzo rocketpool sharedstake stader
  staderpermissioned staderpermissionless stafi stakehouse stakehound staketogether stakewise
  swell swellnetwork tranchess
`
  .trim()
  .split(/\s+/);

const known = new Set(liquidStakingPools);

export const isLiquidStakingPool = (name: string): boolean =>
  known.has(name.toLowerCase().replace(/[ ._-]+/g, ''));

export const isLiquidStakingColumn = (name: Sql): Sql =>
  sql`regexp_replace(lower(${name}), '[ ._-]+', '', 'g') = any(${[...liquidStakingPools]}::text[])`;
