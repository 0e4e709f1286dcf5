import { Command, InvalidArgumentError } from 'commander';
import { DEFAULT_ACCOUNT } from '../accounts/accounts.ts';
import { createToken, listTokens, revokeToken, rotateToken, type TokenRow } from '../accounts/tokens.ts';
import { parseDate, parseDateTime } from '../kernel/time.ts';
import { givenName, wholeNumber } from './flags.ts';
import { withDatabase } from './with-database.ts';

function future(text: string): Date {
  const seconds = parseDateTime(text) ?? parseDate(text);
  if (seconds === undefined || seconds * 1000 <= Date.now()) {
    throw new InvalidArgumentError('A date or date-time in the future is needed, like 2027-01-31.');
  }
  return new Date(seconds * 1000);
}

const noSuchToken = (tokenId: string) =>
  new Error(`There is no active token ${JSON.stringify(tokenId)}; see "stakegraph token list".`);

function show({ token, row }: { token: string; row: TokenRow }) {
  process.stdout.write(`${token}\n`);
  process.stderr.write(
    `Token ${row.tokenId} (${row.name}) of account ${row.account}. It is shown this once; only its hash is kept.\n`,
  );
}

export function tokenCommand(): Command {
  const command = new Command('token').description('make, rotate, list and revoke access tokens');
  command
    .command('create')
    .description('make a token and print it; it cannot be shown again')
    .requiredOption('--name <name>', 'what the token is for', givenName)
    .option('--account <name>', 'whose token it is', DEFAULT_ACCOUNT)
    .option('--expires <date>', 'date or date-time from which on it is refused', future)
    .action((flags: { name: string; account: string; expires?: Date }) =>
      withDatabase(async ({ write: pool }) => {
        show(await createToken(pool, flags.name, flags.expires ?? null, flags.account));
      }),
    );
  command
    .command('rotate')
    .description('make a token that takes the place of another, and let the old one run out')
    .argument('<tokenId>', 'id of the old token, as listed')
    .option(
      '--grace <seconds>',
      'how long the old token stays good, 0 to 31536000',
      wholeNumber(0, 31_536_000),
      86_400,
    )
    .action((tokenId: string, flags: { grace: number }) =>
      withDatabase(async ({ write: pool }) => {
        const made = await rotateToken(pool, tokenId, flags.grace);
        if (!made) throw noSuchToken(tokenId);
        show(made);
        process.stderr.write(`Token ${tokenId} stays good for ${flags.grace} seconds.\n`);
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
        const row = await revokeToken(pool, tokenId);
        if (!row) throw noSuchToken(tokenId);
        process.stdout.write(`revoked ${row.tokenId} (${row.name})\n`);
      }),
    );
  return command;
}
