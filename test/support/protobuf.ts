/** Fields of a Protocol Buffers message by their numbers, undecoded (https://protobuf.dev/programming-guides/encoding/). */
export type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

/** @throws Error for what is no message */
export function readMessage(bytes: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>();
  for (let at = 0; at < bytes.length;) {
    const tag = readVarint(bytes, at);
    const { value, next } = readValue(bytes, tag.next, Number(tag.value & 7n));
    const number = Number(tag.value >> 3n);
    fields.set(number, [...(fields.get(number) ?? []), value]);
    at = next;
  }
  return fields;
}

export function messages(fields: Fields, number: number): Fields[] {
  return (fields.get(number) ?? []).map((value) => readMessage(value as Buffer));
}

export function bytesOf(fields: Fields, number: number): Buffer {
  return (fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
}

export function integer(fields: Fields, number: number): bigint {
  return (fields.get(number)?.[0] as bigint | undefined) ?? 0n;
}

interface Read<T> {
  value: T;
  next: number;
}

function readValue(bytes: Buffer, at: number, wireType: number): Read<Buffer | bigint> {
  switch (wireType) {
    case 0:
      return readVarint(bytes, at);
    case 1:
      return { value: bytes.readBigUInt64LE(at), next: at + 8 };
    case 2: {
      const { value, next } = readVarint(bytes, at);
      const end = next + Number(value);
      if (end > bytes.length) throw new Error('a field ends behind its message');
      return { value: bytes.subarray(next, end), next: end };
    }
    case 5:
      return { value: BigInt(bytes.readUInt32LE(at)), next: at + 4 };
    default:
      throw new Error(`there is no wire type ${wireType}`);
  }
}

function readVarint(bytes: Buffer, at: number): Read<bigint> {
  let value = 0n;
  for (let index = at, shift = 0n; index < bytes.length; index += 1, shift += 7n) {
    const byte = bytes[index] as number;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, next: index + 1 };
  }
  throw new Error('a number does not end');
}
