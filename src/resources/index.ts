import type { Context } from '../context.ts';
import type { Route } from '../kernel/route.ts';
import { operatorRoutes } from './operators/rest.ts';
import { slashingRoutes } from './slashings/rest.ts';

// The GraphQL side of each room adds its types to the builder when it is imported.
import './operators/graphql.ts';
import './slashings/graphql.ts';

/** Every room with its REST paths: the one place to add one. A test fails for a folder that is not here. */
export const rooms: Record<string, Route<Context>[]> = {
  operators: operatorRoutes,
  slashings: slashingRoutes,
};

export const routes: Route<Context>[] = Object.values(rooms).flat();
