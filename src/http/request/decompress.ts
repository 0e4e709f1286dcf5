import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export const MAX_BODY = 256 * 1024;
const ANSWER_MS = 100;

/** Stops soon after Fastify's 413, because a decompression bomb would otherwise be read to its end. */
function bounded<Options>(make: (options?: Options) => Transform) {
  return (options?: Options) => {
    const stream = make(options);
    let read = 0;
    stream.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (read > MAX_BODY && read - chunk.length <= MAX_BODY)
        setTimeout(() => stream.destroy(), ANSWER_MS).unref();
    });
    return stream;
  };
}

export const boundedZlib = {
  createBrotliDecompress: bounded(createBrotliDecompress),
  createGunzip: bounded(createGunzip),
  createInflate: bounded(createInflate),
};
