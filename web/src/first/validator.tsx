import type { validatorQuery } from '../__generated__/validatorQuery.graphql';
import { Sums } from '../pages/validator/validator-sums.tsx';
import { drawing } from './parts/draw.tsx';

export const draw = drawing<validatorQuery['response']>(
  ({ validator }) => validator && <Sums validator={validator} />,
);
