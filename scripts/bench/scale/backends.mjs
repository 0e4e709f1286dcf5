// The CPU that the backends of a database used, to the microsecond, which Linux tells of each that runs.
import { readFileSync } from 'node:fs';

/** Milliseconds by the process of each running backend. */
async function ofEach(run) {
  const backends = await run('select pid from pg_stat_activity where datname = current_database()');
  const spent = new Map();
  for (const { pid } of backends)
    try {
      spent.set(pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error; // it has ended since
    }
  return spent;
}

/** Returns the milliseconds of the backends for one of so many times, and what the last time returned. */
export async function cpuOfBackends(run, times, work) {
  // What a backend used that ends meanwhile is lost, so the work is measured again.
  for (;;) {
    const before = await ofEach(run);
    let result;
    for (let n = 0; n < times; n += 1) result = await work();
    const after = await ofEach(run);
    if (![...before.keys()].every((pid) => after.has(pid))) continue;
    const sum = (spent) => [...spent.values()].reduce((all, one) => all + one, 0);
    return { cpu: (sum(after) - sum(before)) / times, result };
  }
}
