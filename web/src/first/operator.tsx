import type { operatorQuery } from '../__generated__/operatorQuery.graphql';
import { Newest } from '../pages/operator/operator-newest.tsx';
import { tabs } from '../parts/tabs.tsx';
import { drawing } from './parts/draw.tsx';

export const draw = drawing<operatorQuery['response']>(
  ({ operator }, { search }) => operator && tabs.read(search) === 'summary' && <Newest operator={operator} />,
);
