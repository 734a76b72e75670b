export { SystemClock, UuidV7Generator } from './clock-and-ids.js';
export { DatabaseUnavailable, type UnavailableReason } from './database/database-errors.js';
export { Database, type DatabaseOptions, type Statement, type StatementObserver } from './database/database.js';
export { EntityManagers } from './database/entity-managers.js';
export { SYSTEM, tenant, type Scope } from './database/scope.js';
export {
  encryptedColumns,
  type EncryptedColumn,
  rotateKeys,
  RotationFailed,
  type ColumnRotation,
  type RotateKeysOptions,
  type RotationReport,
} from './encryption/rotate-keys.js';
export {
  ClientTokenKeys,
  DerivedKeys,
  FieldCipher,
  FieldCipherError,
  type FieldLocation,
  EncryptionKey,
  KeyRing,
  KeyRingError,
} from './encryption/field-cipher.js';
export { Housekeeping, type DeletedRows } from './housekeeping.js';
export { inspectDatabase, type DatabaseInspection } from './inspection.js';
export { PersistenceModule, type PersistenceOptions } from './persistence.module.js';
export { recoverFromBackup, type RecoveryReport } from './recovery.js';
export {
  awaitSchema,
  createMigration,
  migrate,
  missingMigrations,
  SchemaMismatch,
  verifySchema,
  type MigrationOutcome,
} from './schema.js';
