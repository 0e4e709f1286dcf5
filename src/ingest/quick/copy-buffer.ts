/** Small writes would cost a quarter of the time of an import. */
const SIZE = 262_144;
const TAB = 9;

export class CopyBuffer {
  private bytes = Buffer.allocUnsafe(SIZE);
  private length = 0;

  private reserve(more: number) {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(this.bytes.length * 2 + more);
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** For ASCII text only. */
  cell(given: Buffer, start: number, end: number) {
    this.reserve(end - start + 1);
    const { bytes } = this;
    let { length } = this;
    bytes[length++] = TAB;
    for (let index = start; index < end; index += 1) bytes[length++] = given[index] as number;
    this.length = length;
  }

  text(text: string) {
    this.reserve(text.length * 3);
    const { bytes } = this;
    let { length } = this;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 127) {
        this.length += bytes.write(text, this.length);
        return;
      }
      bytes[length++] = code;
    }
    this.length = length;
  }

  isFull = () => this.length > SIZE / 2;

  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(SIZE);
    this.length = 0;
    return taken;
  }
}
