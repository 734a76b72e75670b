import { Type, type Platform } from '@mikro-orm/core';
import { dialectOf } from '../database/statement-driver.js';
import type { FieldCipher, FieldLocation } from './field-cipher.js';

type Column = Omit<FieldLocation, 'rowId'>;

/** A secret of an entity. Encryption binds the ciphertext to a row id, which the caller passes. */
export class EncryptedField {
  constructor(
    readonly sealed: (cipher: FieldCipher, column: Column) => Buffer,
    /** @throws FieldCipherError */
    readonly open: (rowId: string) => Buffer,
  ) {}

  static ofText(rowId: string, text: string): EncryptedField {
    const clear = Buffer.from(text, 'utf8');
    return new EncryptedField(
      (cipher, column) => cipher.seal({ ...column, rowId }, clear),
      () => clear,
    );
  }

  static ofJson(rowId: string, value: unknown): EncryptedField {
    return EncryptedField.ofText(rowId, JSON.stringify(value));
  }

  /** @throws FieldCipherError */
  text(rowId: string): string {
    return this.open(rowId).toString('utf8');
  }

  /** @throws FieldCipherError */
  json(rowId: string): unknown {
    return JSON.parse(this.text(rowId));
  }
}

/** Marks a column as ciphertext of {@link FieldCipher}. Key rotation finds columns by this type. */
export class EncryptedType extends Type<EncryptedField, Buffer> {
  override convertToDatabaseValue(value: EncryptedField, platform: Platform): Buffer {
    return value instanceof EncryptedField ? value.sealed(cipherOf(platform), this.column()) : value;
  }

  override convertToJSValue(sealed: Buffer, platform: Platform): EncryptedField {
    const cipher = cipherOf(platform);
    const column = this.column();
    return new EncryptedField(
      () => sealed,
      (rowId) => cipher.open({ ...column, rowId }, sealed),
    );
  }

  override getColumnType(): string {
    return 'bytea';
  }

  override compareAsType(): string {
    return 'Buffer';
  }

  private column(): Column {
    if (this.meta === undefined || this.prop === undefined) throw new TypeError('The type belongs to no property');
    return { table: this.meta.tableName, column: this.prop.fieldNames[0] as string };
  }
}

/** A secret without which its row is useless: `ops after-restore` deletes rows that no key can decrypt. */
export class DisposableSecretType extends EncryptedType {}

function cipherOf(platform: Platform): FieldCipher {
  return dialectOf(platform.getConfig()).cipher;
}
