import { Type } from '@mikro-orm/core';

/**
 * Marks a column as ciphertext of {@link FieldCipher}. Key rotation finds what to rotate by this mark, so a new secret
 * column is covered the moment it is declared.
 */
export class EncryptedType extends Type<Buffer, Buffer> {
  override getColumnType(): string {
    return 'bytea';
  }

  override compareAsType(): string {
    return 'Buffer';
  }
}
