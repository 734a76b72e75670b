import { EncryptedType } from './encrypted.type.js';

export interface EncryptedColumn {
  table: string;
  column: string;
}

/** Every encrypted column there is, as the entities declare them: nobody has to keep a list. */
export async function encryptedColumns(): Promise<EncryptedColumn[]> {
  // Loaded here alone: the configuration names the migrations, which serving does not need.
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const { ormConfig } = await import('../orm.config.js');
  const orm = new MikroORM(ormConfig()); // discovers; connects to nothing
  return [...orm.getMetadata().getAll().values()].flatMap((entity) =>
    entity.props
      .filter((property) => property.customType instanceof EncryptedType)
      .map((property) => ({ table: entity.tableName, column: property.fieldNames[0] as string })),
  );
}
