export const output = { closed: false };

let failed = false;

/** A command goes on without its output, such as on a full disk: what it does counts more than what it says. */
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      if (stream === process.stdout) output.closed = true;
      return;
    }
    if (failed) return;
    failed = true;
    process.on('exit', () => (process.exitCode ||= 1));
    if (stream === process.stdout)
      process.stderr.write(`stakegraph: The standard output cannot be written: ${error.message}\n`);
  });
