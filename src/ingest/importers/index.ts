import type { Importer } from '../importer/importer.ts';
import { attestationImporter } from './attestations.ts';
import { blockImporter } from './blocks.ts';
import { builderImporter } from './builders.ts';
import { chainBalanceImporter } from './chain-balances.ts';
import { chainDailyRewardImporter } from './chain-daily-rewards.ts';
import { consolidationImporter } from './consolidations.ts';
import { networkRewardImporters } from './network-rewards.ts';
import { operatorProfileImporter } from './operator-profiles.ts';
import { operatorImporter } from './operators.ts';
import { slashingImporter } from './slashings.ts';
import {
  solanaEpochImporter,
  solanaStakeAuthorityEpochImporter,
  solanaValidatorEpochImporter,
} from './solana-facts.ts';
import { solanaOverviewImporter } from './solana-overview.ts';
import { stakeAuthorityImporter } from './stake-authorities.ts';
import { syncCommitteeRewardImporter } from './sync-committee-rewards.ts';
import { validatorClientImporter } from './validator-clients.ts';
import { validatorDayImporter } from './validator-days.ts';
import { validatorImporter } from './validators.ts';

export const importers = {
  operators: operatorImporter,
  slashings: slashingImporter,
  attestations: attestationImporter,
  blocks: blockImporter,
  builders: builderImporter,
  'chain-daily-rewards': chainDailyRewardImporter,
  'chain-balances': chainBalanceImporter,
  consolidations: consolidationImporter,
  'solana-overview': solanaOverviewImporter,
  'stake-authorities': stakeAuthorityImporter,
  'sync-committee-rewards': syncCommitteeRewardImporter,
  validators: validatorImporter,
  'validator-clients': validatorClientImporter,
  'validator-days': validatorDayImporter,
  'operator-profiles': operatorProfileImporter,
  'solana-epochs': solanaEpochImporter,
  'solana-validator-epochs': solanaValidatorEpochImporter,
  'solana-stake-authority-epochs': solanaStakeAuthorityEpochImporter,
  ...networkRewardImporters,
} as const;
export type ImportResource = keyof typeof importers;

export const importerOf = (resource: ImportResource) => importers[resource] as unknown as Importer<unknown>;
