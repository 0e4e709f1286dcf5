import { Argument, Command, Option } from 'commander';
import { type AccountRow, createAccount, listAccounts, setTier } from '../accounts/accounts.ts';
import { type Allowance, allowanceOf, fixedLimits, type Tier, tierLimits, tiers } from '../accounts/tiers.ts';
import { readSettings, SettingsError } from '../config/index.ts';
import { audit } from '../db/audit.ts';
import { transaction } from '../db/pool.ts';
import { givenName, wholeNumber } from './flags.ts';
import { withDatabase } from './with-database.ts';

export const noSuchAccount = (name: string) =>
  new Error(`There is no account ${JSON.stringify(name)}; see "stakegraph account list".`);

function print(accounts: AccountRow[], json: boolean | undefined) {
  if (json) return void process.stdout.write(`${JSON.stringify(accounts, null, 2)}\n`);
  const limits = tierLimits(readSettings());
  for (const { name, tier, rateLimit, unitAllowance, activeTokens } of accounts) {
    const limit = rateLimit ?? limits.rates[tier];
    const text = limit === undefined ? 'no rate limit' : `${limit} requests a second`;
    process.stdout.write(
      `${name}  ${tier}  ${text}  ${allowanceText(allowanceOf(limits, tier, unitAllowance))}  ${activeTokens} active ${activeTokens === 1 ? 'token' : 'tokens'}\n`,
    );
  }
}

function allowanceText({ units, period }: Allowance): string {
  if (units === undefined) return 'no allowance limit';
  return `${units.toLocaleString('en')} compute units ${period === 'life' ? 'for life' : 'a month'}`;
}

/** 'tier', because commander turns null into ''. */
type Limit = number | 'tier' | undefined;
type Limits = { rate?: Limit; units?: Limit };
type Flags = Limits & { json?: boolean };

const fixedOf = (tier: Tier, limits: Limits) =>
  fixedLimits[tier]?.find((name) => typeof limits[name] === 'number');
const what = { rate: 'rate', units: 'allowance' };

function checkLimits(tier: Tier, flags: Limits) {
  const fixed = fixedOf(tier, flags);
  if (!fixed) return;
  throw new SettingsError(
    `--${fixed} cannot be given with the tier ${tier}, whose ${what[fixed]} is fixed; choose a higher tier.`,
  );
}

function checkKept(tier: Tier, flags: Limits, { name, rateLimit, unitAllowance }: AccountRow) {
  const { rate = rateLimit ?? undefined, units = unitAllowance ?? undefined } = flags;
  const fixed = fixedOf(tier, { rate, units });
  if (!fixed) return;
  throw new Error(
    `The account ${JSON.stringify(name)} has ${fixed === 'rate' ? 'a rate' : 'an allowance'} of its own (${fixed === 'rate' ? rate : units}), and the ${what[fixed]} of the tier ${tier} is fixed; remove it with --${fixed} tier.`,
  );
}

type Read = (text: string) => number | 'tier';
const orTier =
  (read: Read): Read =>
  (text) =>
    text === 'tier' ? text : read(text);

const withLimits = (command: Command, wrap: (read: Read) => Read = (read) => read, more = ''): Command =>
  command
    .option(
      '--rate <number>',
      `requests per second, instead of the tier's${more}`,
      wrap(wholeNumber(1, 999_999)),
    )
    .option(
      '--units <number>',
      `compute units a month, instead of the tier's${more}`,
      wrap(wholeNumber(0, 999_999_999_999_999)),
    )
    .option('--json', 'as a JSON array');

function saved(name: string, tier: Tier, flags: Flags, save: typeof createAccount, refusal: Error) {
  checkLimits(tier, flags);
  return withDatabase(async ({ write }) => {
    const account = await transaction(write, async (db) => {
      const before = (await listAccounts(db, name))[0];
      if (before && save === setTier) checkKept(tier, flags, before);
      const given = (limit: Limit) => (limit === 'tier' ? null : limit);
      const [rateLimit, unitAllowance] = [given(flags.rate), given(flags.units)];
      const made = await save(db, { name, tier, rateLimit, unitAllowance });
      if (!made) throw refusal;
      const limits = { rate: flags.rate, units: flags.units };
      const old = before && {
        beforeRate: before.rateLimit ?? 'tier',
        beforeUnits: before.unitAllowance ?? 'tier',
      };
      const action = save === createAccount ? 'account.create' : 'account.set-tier';
      await audit(db, { action, subject: name, details: { tier, before: before?.tier, ...limits, ...old } });
      return made;
    });
    print([account], flags.json);
  });
}

export function accountCommand(): Command {
  const command = new Command('account').description('make and list accounts, and set their tiers');
  withLimits(
    command
      .command('create')
      .description('make an account')
      .argument('<name>', 'name of the account', givenName)
      .addOption(new Option('--tier <tier>', 'tier of the account').choices(tiers).default('free')),
  ).action((name: string, flags: Flags & { tier: Tier }) =>
    saved(
      name,
      flags.tier,
      flags,
      createAccount,
      new Error(`The account ${JSON.stringify(name)} already exists.`),
    ),
  );
  command
    .command('list')
    .description('list the accounts by name')
    .option('--json', 'as a JSON array')
    .action((flags: { json?: boolean }) =>
      withDatabase(async ({ write }) => print(await listAccounts(write), flags.json)),
    );
  command
    .command('show')
    .description('show one account')
    .argument('<name>', 'name of the account')
    .option('--json', 'as a JSON array')
    .action((name: string, flags: { json?: boolean }) =>
      withDatabase(async ({ write }) => {
        const found = await listAccounts(write, name);
        if (found.length === 0) throw noSuchAccount(name);
        print(found, flags.json);
      }),
    );
  withLimits(
    command
      .command('set-tier')
      .description('change the tier of an account, on every replica within seconds')
      .argument('<name>', 'name of the account')
      .addArgument(new Argument('<tier>', 'its new tier').choices(tiers)),
    orTier,
    '; "tier" removes it; without this option it stays',
  ).action((name: string, tier: Tier, flags: Flags) =>
    saved(name, tier, flags, setTier, noSuchAccount(name)),
  );
  return command;
}
