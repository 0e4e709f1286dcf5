import { Command, InvalidArgumentError } from 'commander';
import { type AccountRow, listAccounts } from '../accounts/accounts.ts';
import { type Standing, standingOf } from '../accounts/allowance.ts';
import { allowanceOf, tierLimits } from '../accounts/tiers.ts';
import { monthAt } from '../accounts/usage.ts';
import { usageOf } from '../accounts/usage-queries.ts';
import { readSettings } from '../config/index.ts';
import { noSuchAccount } from './account.ts';
import { withDatabase } from './with-database.ts';

function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError('A month like 2026-11 is needed.');
  return text;
}

const digits = (value: number) => value.toLocaleString('en');

type UsageReport = { account: string; tier: AccountRow['tier']; month: string | null } & Standing;

function describe({ account, tier, month, ...standing }: UsageReport): string {
  const { unitsUsed, unitsAllowed, requests, resetsAt } = standing;
  const units = unitsAllowed === null ? digits(unitsUsed) : `${digits(unitsUsed)} of ${digits(unitsAllowed)}`;
  const resets = resetsAt === null ? '' : `, resets ${resetsAt}`;
  return `${account}  ${tier}  ${month ?? 'life'}  ${units} compute units${resets}  ${digits(requests)} requests\n`;
}

export const usageCommand = (): Command =>
  new Command('usage')
    .description('show the compute units that an account used, up to a few seconds ago')
    .argument('<account>', 'name of the account')
    .option(
      '--month <month>',
      "a calendar month (UTC) like 2026-11, instead of the allowance's period",
      month,
    )
    .option('--json', 'as a JSON object')
    .action((name: string, flags: { month?: string; json?: boolean }) =>
      withDatabase(async ({ write }) => {
        const [account] = await listAccounts(write, name);
        if (!account) throw noSuchAccount(name);
        const { tier } = account;
        const allowance = allowanceOf(tierLimits(readSettings()), tier, account.unitAllowance);
        const at = flags.month ? new Date(`${flags.month}-01T00:00:00Z`) : new Date();
        const inMonth = flags.month !== undefined || allowance.period === 'month';
        const used = await usageOf(write, name, inMonth ? monthAt(at).name : null);
        const ofMonth =
          allowance.period === 'month' ? allowance : { units: undefined, period: 'month' as const };
        const standing = standingOf(inMonth ? ofMonth : allowance, used, at);
        const report: UsageReport = {
          account: name,
          tier,
          month: inMonth ? monthAt(at).name : null,
          ...standing,
        };
        process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
      }),
    );
