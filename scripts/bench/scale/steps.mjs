// The steps of bench:scale that are done are noted in the database that they fill, so that a stopped run can go on.
import { isDeepStrictEqual } from 'node:util';
import { transaction } from '../../../dist/db/pool.js';

const QUIET_MS = 10_000;

/** `seconds` has the steps by their names, in their order, and how long each takes on two idle cores. */
export async function openSteps(pool, { asked, seconds, show, say }) {
  const run = async (text, values = []) => (await pool.query({ text, values })).rows;
  await run('create schema if not exists bench');
  await run('create table if not exists bench.asked (options jsonb not null)');
  await run('create table if not exists bench.steps (name text primary key, lines jsonb not null)');
  const [begun] = await run('select options from bench.asked');
  if (begun && !isDeepStrictEqual(begun.options, asked)) {
    const options = Object.entries(begun.options).map(([name, value]) => `--${name} ${value}`);
    throw Object.assign(
      new Error(`A run with ${options.join(' ')} is kept. Go on with these options, or drop it with --anew.`),
      { refused: true },
    );
  }
  if (!begun) await run('insert into bench.asked select $1::jsonb', [JSON.stringify(asked)]);
  const done = new Map(
    (await run('select name, lines from bench.steps')).map((row) => [row.name, row.lines]),
  );
  const sum = (some) => some.reduce((all, one) => all + one, 0);
  const left = () => sum(Object.entries(seconds).map(([name, one]) => (done.has(name) ? 0 : one)));
  const minutes = (some) => Math.max(1, Math.round(some / 60));
  const all = sum(Object.values(seconds));
  say(
    done.size > 0
      ? `${done.size} of ${Object.keys(seconds).length} steps are done; about ${minutes(left())} of ${minutes(all)} minutes are left.`
      : `This takes about ${minutes(all)} minutes on two idle cores.`,
  );
  let [took, expected, told] = [0, 0, 0];
  const note = (using, name, lines) =>
    using({ text: 'insert into bench.steps values ($1, $2::jsonb)', values: [name, JSON.stringify(lines)] });

  /** Does `work` unless it was done, and shows what it measured. */
  async function once(name, work) {
    const known = done.get(name);
    for (const [what, figures] of known ?? []) show(what, figures);
    if (known) return;
    if (!(name in seconds)) throw new Error(`${name} is no step.`);
    const began = performance.now();
    const lines = [];
    await work((what, figures) => {
      lines.push([what, figures]);
      show(what, figures);
    }, lines);
    done.set(name, lines);
    took += (performance.now() - began) / 1_000;
    expected += seconds[name];
    // A machine that was slow until now is slow in what is left, too.
    const next = `${name}: done; about ${minutes((left() * took) / expected)} minutes are left`;
    if (left() > 0 && performance.now() - told > QUIET_MS) {
      told = performance.now();
      say(next);
    }
  }

  return {
    /** `work(line)` measures; `line(what, figures)` shows a figure. If it is stopped, it begins again. */
    measure: (name, work) =>
      once(name, async (line, lines) => {
        await work(line);
        await note((query) => pool.query(query), name, lines);
      }),
    /** `work(run)` makes rows: all of them or none. */
    make: (name, work) =>
      once(name, (_, lines) =>
        transaction(pool, async (client) => {
          await work((text, values) => client.query(text, values));
          await note((query) => client.query(query), name, lines);
        }),
      ),
  };
}
