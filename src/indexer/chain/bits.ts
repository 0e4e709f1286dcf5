/** Returns -1 if the length bit is missing. */
export function bitlistLength(bits: Uint8Array): number {
  const last = bits[bits.length - 1];
  return last ? (bits.length - 1) * 8 + 31 - Math.clz32(last) : -1;
}

export const bitAt = (bits: Uint8Array, position: number): boolean =>
  (((bits[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
