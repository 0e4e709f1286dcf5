import { CODE_MINUTES } from '../accounts/page-codes.ts';
import type { Settings } from '../config/index.ts';
import type { Database } from '../db/open/index.ts';

/** The development token and its codes. Only a gateway with an embedded database has one. */
export type Access = { token: string; codes: { explorer: string; graphiql: string } };

export function banner(
  address: string,
  { embedded }: Pick<Database, 'embedded'>,
  access: Access | undefined,
  settings: Settings,
): string {
  const link = (path: string, code: string | undefined) => `${address}${path}${code ? `#${code}` : ''}`;
  const lines = [
    `stakegraph is serving at ${address}`,
    '',
    ...(settings.EXPLORER ? [`  Explorer        ${link('/', access?.codes.explorer)}`] : []),
    `  GraphiQL        ${link('/graphql', access?.codes.graphiql)}`,
    `  REST reference  ${address}/docs`,
    `  Database        ${embedded ? 'embedded PostgreSQL' : 'that of DATABASE_URL'}`,
  ];
  if (access) {
    lines.push(
      `  Token           ${access.token}`,
      '',
      `  Each link works once, within ${CODE_MINUTES} minutes; "npx stakegraph open" prints another.`,
      '',
      `  curl -H "Authorization: Bearer ${access.token}" "${address}/v0/eth/operators?window=7d&idType=pool&size=3"`,
    );
  }
  return `${lines.join('\n')}\n`;
}
