import { Injectable } from '@nestjs/common';
import {
  Clock,
  DomainError,
  Ids,
  PrivatePropertyStore,
  isUuid,
  type ExtendedProperties,
  type PrivatePropertyKey,
} from '#domain';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';
import { sha256 } from '../encryption/hashes.js';

interface PropertyRow {
  id: string;
  ical_uid_hash: Buffer;
  instance: string;
  properties: Buffer;
}

type CalendarScope = { applicationId: string; accountId: string; calendarId: string };

@Injectable()
export class SqlPrivatePropertyStore extends PrivatePropertyStore {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: Ids,
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
      name: 'private-property-load',
      text:
        'select id, ical_uid_hash, instance, properties from private_property where application_id = $1 ' +
        'and end_user_account_id = $2 and calendar_hash = $3 and ical_uid_hash = any($4::bytea[])',
      values: [applicationId, accountId, sha256(calendarId), [...uidOf.keys()].map((hex) => Buffer.from(hex, 'hex'))],
    });
    for (const row of rows) {
      const uid = uidOf.get(row.ical_uid_hash.toString('hex')) as string; // asked for by that very hash
      const instances = found.get(uid) ?? new Map<string, ExtendedProperties>();
      instances.set(row.instance, this.cipher.openJson(location(row.id), row.properties) as ExtendedProperties);
      found.set(uid, instances);
    }
    return found;
  }

  override async save(key: PrivatePropertyKey, properties: ExtendedProperties): Promise<void> {
    if (Object.keys(properties).length === 0) return this.remove(key);
    const { applicationId, accountId, instance } = key;
    if (!isUuid(accountId)) throw noSuchAccount();
    const scope = tenant(applicationId);
    const address = [applicationId, accountId, sha256(key.calendarId), sha256(key.iCalUid), instance];
    // The ciphertext is bound to the row's id, so that must be known first. Who loses a race learns it and comes again.
    for (;;) {
      const [known] = await this.database.read<{ id: string }>(scope, {
        text:
          'select id from private_property where application_id = $1 and end_user_account_id = $2 ' +
          'and calendar_hash = $3 and ical_uid_hash = $4 and instance = $5',
        values: address,
      });
      const id = known?.id ?? this.ids.next();
      const { count } = await this.database.write(scope, {
        text:
          'insert into private_property (id, application_id, end_user_account_id, calendar_hash, ical_uid_hash, ' +
          'instance, properties, created_at, updated_at) ' +
          'select $6, application_id, id, $3, $4, $5, $7, $8, $8 from end_user_account ' +
          'where application_id = $1 and id = $2 for key share ' +
          'on conflict (end_user_account_id, calendar_hash, ical_uid_hash, instance) do update ' +
          'set properties = excluded.properties, updated_at = excluded.updated_at ' +
          'where private_property.id = excluded.id',
        values: [...address, id, this.cipher.sealJson(location(id), properties), new Date(this.clock.nowMs())],
      });
      if (count > 0) return;
      const account = await this.database.read(scope, {
        text: 'select 1 from end_user_account where application_id = $1 and id = $2',
        values: [applicationId, accountId],
      });
      if (account.length === 0) throw noSuchAccount();
    }
  }

  override async remove(key: Omit<PrivatePropertyKey, 'instance'> & { instance?: string }): Promise<void> {
    if (!isUuid(key.accountId)) return;
    const ofInstance = key.instance === undefined ? '' : ' and instance = $5';
    await this.database.write(tenant(key.applicationId), {
      text:
        'delete from private_property where application_id = $1 and end_user_account_id = $2 ' +
        `and calendar_hash = $3 and ical_uid_hash = $4${ofInstance}`,
      values: [
        key.applicationId,
        key.accountId,
        sha256(key.calendarId),
        sha256(key.iCalUid),
        ...(key.instance === undefined ? [] : [key.instance]),
      ],
    });
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'private_property', column: 'properties', rowId };
}

function noSuchAccount(): DomainError {
  return new DomainError('NotFound', 'There is no end user account with this id.');
}
