import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './applications.entities.js';
import { EndUserAccountEntity } from './accounts.entities.js';
import { ownedByApplication } from './tenancy.js';
import { EncryptedType, DisposableSecretType } from '../encryption/encrypted.type.js';

/** A calendar that somebody subscribed to: what is known of it, when to look next, when to see after its channels. */
export const WatchedCalendarEntity = defineEntity({
  name: 'WatchedCalendar',
  tableName: 'watched_calendar',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endUserAccount: () => p.manyToOne(EndUserAccountEntity).deleteRule('cascade'),
    calendarId: p.text(),
    /** SHA-256 of the id, which may be longer than an index takes. */
    calendarHash: p.type('bytea').$type<Buffer>(),
    /** Sync token up to which changes were announced; null before the first look. */
    syncToken: p.text().nullable(),
    /** How many hints there were: a look that knows of fewer is not the last one. */
    hints: p.bigint(),
    /** Those that the last look knew of that did not fail. */
    hintsSeen: p.bigint().default(0),
    /** Which of them was a push, the last of all. */
    lastPush: p.bigint().default(0),
    /** Of the next look, and the end of the lease while one is under way. */
    lookAt: p.datetime(3).index(),
    lookLeaseId: p.uuid().nullable(),
    /** Hints before it wait until then; null: there was no look yet. */
    calmAt: p.datetime(3).nullable(),
    /** The first hint that no look has taken up. */
    hintedAt: p.datetime(3).nullable(),
    /** Since when a look has been due that has not succeeded yet: by its hint, or by its time. */
    noticedAt: p.datetime(3).nullable(),
    /** Leases in a row that ended by themselves. */
    lookDeaths: p.integer().default(0),
    failingSince: p.datetime(3).nullable(),
    /** W3C `traceparent` of the last traced hint that no look has taken up. */
    traceParent: p.text().nullable(),
    /** As `hints` and `look…`, for the channels. */
    upkeepAsks: p.bigint(),
    upkeepAt: p.datetime(3).index(),
    upkeepLeaseId: p.uuid().nullable(),
    /** Upkeeps in a row that did not come to what was wanted. */
    upkeepFailures: p.integer().default(0),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'watched_calendar_key', properties: ['endUserAccount', 'calendarHash'] }],
});

/** One push channel at a provider; written before the provider is asked for it. */
export const ProviderChannelEntity = defineEntity({
  name: 'ProviderChannel',
  tableName: 'provider_channel',
  ...ownedByApplication(),
  properties: {
    /** Where the provider lets us choose, also its id there. */
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    watchedCalendar: () => p.manyToOne(WatchedCalendarEntity).deleteRule('cascade').index(),
    /** What genuine pushes carry. */
    token: p.type(EncryptedType),
    /** `opening`, `live`, `closing`. */
    state: p.text(),
    /** The provider's ids of it; null until it has said them. */
    subscriptionId: p.text().nullable(),
    resourceId: p.text().nullable(),
    expiresAt: p.datetime(3).nullable(),
    renewAt: p.datetime(3).nullable(),
    /** When it became live, or was renewed last. */
    renewedAt: p.datetime(3).nullable(),
    /** Changes in a row that it did not tell of. */
    silentFinds: p.integer().default(0),
    createdAt: p.datetime(3),
  },
  uniques: [
    {
      name: 'provider_channel_live',
      expression:
        'create unique index "provider_channel_live" on "provider_channel" ("watched_calendar_id") ' +
        'where "state" = \'live\'',
    },
  ],
});

/** Private extended properties of events whose provider has no private place for them. */
export const PrivatePropertyEntity = defineEntity({
  name: 'PrivateProperty',
  tableName: 'private_property',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endUserAccount: () => p.manyToOne(EndUserAccountEntity).deleteRule('cascade'),
    /** SHA-256 of the calendar id, and of the iCalUid: both may be longer than an index entry can be. */
    calendarHash: p.type('bytea').$type<Buffer>(),
    iCalUidHash: p.type('bytea').$type<Buffer>().fieldName('ical_uid_hash'),
    instance: p.text(),
    /** JSON of `ExtendedProperties`. */
    properties: p.type(DisposableSecretType),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    { name: 'private_property_key', properties: ['endUserAccount', 'calendarHash', 'iCalUidHash', 'instance'] },
  ],
});

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
