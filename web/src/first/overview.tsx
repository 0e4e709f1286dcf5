import type { overviewQuery } from '../__generated__/overviewQuery.graphql';
import { spansOf } from '../pages/overview/overview-days.ts';
import { OverviewTiles } from '../pages/overview/overview-tiles.tsx';
import { drawing } from './parts/draw.tsx';

export const draw = drawing<overviewQuery['response']>(
  ({ networkOverview }, { search }) =>
    networkOverview && <OverviewTiles spans={spansOf(networkOverview.history?.nodes ?? [], search)} />,
);
