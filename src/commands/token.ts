import { Command, InvalidArgumentError } from 'commander';
import { DEFAULT_ACCOUNT } from '../accounts/accounts.ts';
import {
  createToken,
  isRotated,
  listTokens,
  revokeToken,
  rotateToken,
  type TokenRow,
} from '../accounts/tokens.ts';
import { audit } from '../db/audit.ts';
import { type Pool, type Queryable, transaction } from '../db/pool.ts';
import { parseDate, parseDateTime } from '../kernel/time.ts';
import { givenName, wholeNumber } from './flags.ts';
import { withDatabase } from './with-database.ts';

function future(text: string): Date {
  const seconds = parseDateTime(text) ?? parseDate(text);
  if (seconds === undefined)
    throw new InvalidArgumentError(
      'A date or a date-time with its zone is needed, like 2027-01-31 or 2027-01-31T10:00:00Z.',
    );
  if (seconds * 1000 <= Date.now()) throw new InvalidArgumentError('A time in the future is needed.');
  return new Date(seconds * 1000);
}

const noSuchToken = (tokenId: string) =>
  new Error(`There is no active token ${JSON.stringify(tokenId)}; see "stakegraph token list".`);

const rotatedBefore = (tokenId: string) =>
  new Error(
    `Token ${JSON.stringify(tokenId)} was rotated before and runs out: rotate its replacement, which "stakegraph token list" shows, or create another token.`,
  );

const changed = <Made extends { row: TokenRow }>(
  pool: Pool,
  verb: 'create' | 'rotate' | 'revoke',
  change: (db: Queryable) => Promise<Made>,
  more: Record<string, unknown> = {},
): Promise<Made> =>
  transaction(pool, async (db) => {
    const made = await change(db);
    const { tokenId, name, account } = made.row;
    await audit(db, { action: `token.${verb}`, subject: tokenId, details: { account, name, ...more } });
    return made;
  });

function show({ token, row }: { token: string; row: TokenRow }) {
  const { tokenId, name, account } = row;
  process.stdout.write(`${token}\n`, (error) =>
    process.stderr.write(
      error
        ? `The token could not be shown, and is valid: revoke it with "stakegraph token revoke ${tokenId}".\n`
        : `Token ${tokenId} (${name}) of account ${account}. It is shown only once; only its hash is kept.\n`,
    ),
  );
}

export function tokenCommand(): Command {
  const command = new Command('token').description('make, rotate, list and revoke access tokens');
  command
    .command('create')
    .description('make a token and print it; it cannot be shown again')
    .requiredOption('--name <name>', 'what the token is for', givenName)
    .option('--account <name>', 'whose token it is', DEFAULT_ACCOUNT)
    .option('--expires <date>', 'date or date-time from which it is refused', future)
    .action((flags: { name: string; account: string; expires?: Date }) =>
      withDatabase(async ({ write: pool }) => {
        const { name, account, expires = null } = flags;
        show(await changed(pool, 'create', (db) => createToken(db, name, expires, account), { expires }));
      }),
    );
  command
    .command('rotate')
    .description('make a token that takes the place of another, and let the old one run out')
    .argument('<tokenId>', 'id of the old token, as listed')
    .option(
      '--grace <seconds>',
      'how long the old token stays valid, 0 to 31536000',
      wholeNumber(0, 31_536_000),
      86_400,
    )
    .action((tokenId: string, flags: { grace: number }) =>
      withDatabase(async ({ write: pool }) => {
        const details = { oldTokenId: tokenId, graceSeconds: flags.grace };
        const made = await changed(
          pool,
          'rotate',
          async (db) => {
            const rotated = await rotateToken(db, tokenId, flags.grace);
            if (rotated) return rotated;
            throw (await isRotated(db, tokenId)) ? rotatedBefore(tokenId) : noSuchToken(tokenId);
          },
          details,
        );
        show(made);
        if (made.row.expiresAt)
          process.stderr.write(`It is valid until ${made.row.expiresAt}, as the old one was.\n`);
        process.stderr.write(`Token ${tokenId} stays valid until ${made.oldExpiresAt}.\n`);
      }),
    );
  command
    .command('list')
    .description('list tokens, newest first')
    .option('--json', 'as a JSON array')
    .action((flags: { json?: boolean }) =>
      withDatabase(async ({ write: pool }) => {
        const tokens = await listTokens(pool);
        if (flags.json) return void process.stdout.write(`${JSON.stringify(tokens, null, 2)}\n`);
        for (const row of tokens) {
          const state = row.revokedAt
            ? `revoked ${row.revokedAt}`
            : row.expiresAt
              ? `${Date.parse(row.expiresAt) <= Date.now() ? 'expired' : 'expires'} ${row.expiresAt}`
              : 'active';
          const used = row.lastUsedAt ? `last used ${row.lastUsedAt}` : 'never used';
          process.stdout.write(
            `${row.tokenId}  ${row.prefix}…  ${row.account}  ${row.name}  ${state}, ${used}\n`,
          );
        }
      }),
    );
  command
    .command('revoke')
    .description('refuse a token from now on, on every replica within seconds')
    .argument('<tokenId>', 'id of the token, as listed')
    .action((tokenId: string) =>
      withDatabase(async ({ write: pool }) => {
        const { row } = await changed(pool, 'revoke', async (db) => {
          const revoked = await revokeToken(db, tokenId);
          if (!revoked) throw noSuchToken(tokenId);
          return { row: revoked };
        });
        process.stdout.write(`revoked ${row.tokenId} (${row.name})\n`);
      }),
    );
  return command;
}
