import { type Calendar, calendars, split } from './calendar.ts';
import { attesterEffectiveness, type Duties, dutiesIn, dutyCount } from './duties.ts';
import type { ValidatorRecord } from './recording.ts';
import type { Row, Run } from './run.ts';

/** Null before one is set. */
export const withdrawalAddress = ({ credentials }: ValidatorRecord): string | null =>
  /^0x0[12]/.test(credentials) ? `0x${credentials.slice(-40)}`.toLowerCase() : null;

type Member = { validator: number; duties: Duties };

function membersByAddress(run: Run, duties: Map<number, Duties>): Map<string, Member[]> {
  const members = new Map<string, Member[]>();
  for (const [validator, own] of duties) {
    const record = run.registry[validator];
    const address = record && withdrawalAddress(record);
    if (!address) continue;
    if (!members.has(address)) members.set(address, []);
    members.get(address)?.push({ validator, duties: own });
  }
  return members;
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

function sumsOf(members: readonly Member[]) {
  const sum = (name: keyof Duties) => total(members.map(({ duties }) => duties[name] ?? 0));
  const sync = members.some(({ duties }) => duties.sumSyncSignatureCount !== null);
  return {
    totalUniqueAttestations: sum('totalUniqueAttestations'),
    sumMissedAttestations: sum('sumMissedAttestations'),
    sumMissedSyncSignatures: sync ? sum('sumMissedSyncSignatures') : null,
    sumSyncSignatureCount: sync ? sum('sumSyncSignatureCount') : null,
    sumCorrectHead: sum('sumCorrectHead'),
    sumCorrectTarget: sum('sumCorrectTarget'),
    sumCorrectSource: sum('sumCorrectSource'),
    sumWrongHeadVotes: sum('sumWrongHeadVotes'),
    sumWrongTargetVotes: sum('sumWrongTargetVotes'),
    sumLateTargetVotes: sum('sumLateTargetVotes'),
    sumLateSourceVotes: sum('sumLateSourceVotes'),
    sumInclusionDelay: sum('sumInclusionDelay'),
  };
}

/** An address in an hour or a day. */
function rowOf(run: Run, members: readonly Member[]) {
  const endEpoch = Math.max(...members.map(({ duties }) => duties.endEpoch));
  const due = members.filter(({ duties }) => dutyCount(duties) > 0);
  const atEnd = due.filter(({ validator }) => run.isActive(validator, endEpoch));
  const { balances, validators } = run.state(endEpoch + 1);
  return {
    startEpoch: Math.min(...members.map(({ duties }) => duties.startEpoch)),
    endEpoch,
    validatorCount: atEnd.length,
    ...sumsOf(members),
    avgAttesterEffectiveness: due.length
      ? total(due.map(({ duties }) => attesterEffectiveness(duties))) / due.length
      : 0,
    sumEndEpochBalance: atEnd.reduce((sum, { validator }) => sum + (balances[validator] ?? 0n), 0n),
    sumEndEpochEffectiveBalance: atEnd.reduce(
      (sum, { validator }) => sum + (validators[validator]?.effectiveBalance ?? 0n),
      0n,
    ),
  };
}

function rowsOf(run: Run, calendar: Calendar, hourly: boolean): Row[] {
  const periods = split(run.epochs, (epoch) => run.days[hourly ? 'hour' : 'day'](calendar, epoch));
  return [...periods].flatMap(([period, epochs]) => {
    const day = run.days.day(calendar, epochs[0] as number);
    const duties = dutiesIn(run, epochs);
    const all = [...duties].map(([validator, own]) => ({ validator, duties: own }));
    const owners = [...membersByAddress(run, duties)].map(
      ([address, members]) => ['withdrawalAddress', address, members] as const,
    );
    const entities = hourly ? owners : [...owners, ['network', 'hoodi', all] as const];
    return entities.map(([idType, entityId, members]) => ({
      ...{ network: 'hoodi', idType, entityId, utc: calendar === 'utc' },
      ...(hourly && { hour: period }),
      ...{ day, date: run.days.date(day) },
      ...rowOf(run, members),
    }));
  });
}

export const attestationHours = (run: Run): Row[] => calendars.flatMap((name) => rowsOf(run, name, true));
export const attestationDays = (run: Run): Row[] => calendars.flatMap((name) => rowsOf(run, name, false));
