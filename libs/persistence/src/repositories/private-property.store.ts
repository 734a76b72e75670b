import { Injectable } from '@nestjs/common';
import { PrivatePropertyStore, type ExtendedProperties, type PrivatePropertyKey } from '#domain/events';
import { Clock, IdGenerator, isUuid, noSuchAccount } from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';
import { sha256 } from '../encryption/hashes.js';
import { PrivatePropertyEntity } from '../entities/calendars.entities.js';
import { LOAD_PROPERTIES, SAVE_PROPERTIES } from './calendars.statements.js';

interface PropertyRow {
  id: string;
  iCalUidHash: Buffer;
  instance: string;
  properties: Buffer;
}

type CalendarScope = { applicationId: string; accountId: string; calendarId: string };

@Injectable()
export class SqlPrivatePropertyStore extends PrivatePropertyStore {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly cipher: FieldCipher,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async load(
    { applicationId, accountId, calendarId }: CalendarScope,
    iCalUids: string[],
  ): Promise<Map<string, Map<string, ExtendedProperties>>> {
    const found = new Map<string, Map<string, ExtendedProperties>>();
    if (iCalUids.length === 0 || !isUuid(accountId)) return found;
    const uidOf = new Map(iCalUids.map((uid) => [sha256(uid).toString('hex'), uid]));
    const rows = await this.database.read<PropertyRow>(tenant(applicationId), {
      ...LOAD_PROPERTIES,
      values: [applicationId, accountId, sha256(calendarId), [...uidOf.keys()].map((hex) => Buffer.from(hex, 'hex'))],
    });
    for (const row of rows) {
      const uid = uidOf.get(row.iCalUidHash.toString('hex')) as string;
      const instances = found.get(uid) ?? new Map<string, ExtendedProperties>();
      instances.set(row.instance, this.cipher.openJson(location(row.id), row.properties) as ExtendedProperties);
      found.set(uid, instances);
    }
    return found;
  }

  override async save(key: PrivatePropertyKey, properties: ExtendedProperties): Promise<void> {
    const { applicationId, accountId, instance } = key;
    if (instance === '' && Object.keys(properties).length === 0) return this.remove(key);
    if (!isUuid(accountId)) throw noSuchAccount();
    const scope = tenant(applicationId);
    const owner = { application: applicationId, endUserAccount: accountId };
    const address = { calendarHash: sha256(key.calendarId), iCalUidHash: sha256(key.iCalUid), instance };
    // The ciphertext is bound to the row id, so the id must be known first. The loser of a race reads it and retries.
    for (;;) {
      const known = await this.entities.query(scope, (tables) =>
        tables
          .selectFrom('PrivateProperty')
          .select('id')
          .where((property) => property.and({ ...owner, ...address }))
          .executeTakeFirst(),
      );
      const id = known?.id ?? this.ids.next();
      const { count } = await this.database.write(scope, {
        text: SAVE_PROPERTIES,
        values: [
          ...[applicationId, accountId, address.calendarHash, address.iCalUidHash, instance],
          ...[id, this.cipher.sealJson(location(id), properties), new Date(this.clock.nowMs())],
        ],
      });
      if (count > 0) return;
      const account = await this.entities.query(scope, (tables) =>
        tables
          .selectFrom('EndUserAccount')
          .select('id')
          .where('application', '=', applicationId)
          .where('id', '=', accountId)
          .executeTakeFirst(),
      );
      if (account === undefined) throw noSuchAccount();
    }
  }

  override async remove(key: Omit<PrivatePropertyKey, 'instance'> & { instance?: string }): Promise<void> {
    if (!isUuid(key.accountId)) return;
    const { applicationId: application, accountId: endUserAccount, instance } = key;
    const hashes = { calendarHash: sha256(key.calendarId), iCalUidHash: sha256(key.iCalUid) };
    await this.entities.within(tenant(application), (em) =>
      em.nativeDelete(PrivatePropertyEntity, {
        ...{ application, endUserAccount, ...hashes },
        ...(instance === undefined ? {} : { instance }),
      }),
    );
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'private_property', column: 'properties', rowId };
}
