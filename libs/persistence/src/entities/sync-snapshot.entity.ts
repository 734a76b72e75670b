import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './application.entity.js';
import { EndUserAccountEntity } from './end-user-account.entity.js';
import { ownedByApplication } from './tenancy.js';

/** What a calendar held when a sync token was issued: resource names and their etags, no calendar content. */
export const SyncSnapshotEntity = defineEntity({
  name: 'SyncSnapshot',
  tableName: 'sync_snapshot',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endUserAccount: () => p.manyToOne(EndUserAccountEntity).deleteRule('cascade'),
    calendarHash: p.type('bytea').$type<Buffer>(),
    changeTag: p.text().nullable(),
    /** Deflated JSON. */
    entries: p.type('bytea').$type<Buffer>(),
    /** Saved, replaced or found: what was not used for long is dropped. */
    usedAt: p.datetime(3).index(),
  },
  indexes: [{ name: 'sync_snapshot_of_calendar', properties: ['endUserAccount', 'calendarHash', 'usedAt'] }],
});
