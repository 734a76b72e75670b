import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './applications.entities.js';
import { EndUserAccountEntity } from './accounts.entities.js';
import { ownedByApplication } from './tenancy.js';
import { EncryptedType, DisposableSecretType } from '../encryption/encrypted.type.js';

/** A calendar with subscriptions: the state of its sync and of the reconciliation of its channels. */
export const SyncedCalendarEntity = defineEntity({
  name: 'SyncedCalendar',
  tableName: 'synced_calendar',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endUserAccount: () => p.manyToOne(EndUserAccountEntity).deleteRule('cascade'),
    calendarId: p.text(),
    /** The id may be too long for an index. */
    calendarHash: p.type('bytea').$type<Buffer>(),
    /** Changes up to this token were notified; null before the first sync. */
    syncToken: p.text().nullable(),
    /** Number of sync requests. A sync that knows of fewer is followed by another one. */
    syncRequests: p.bigint(),
    /** Sync requests known to the last successful sync. */
    syncRequestsSeen: p.bigint().default(0),
    /** Number of the last request that was a notification of the provider. */
    lastNotification: p.bigint().default(0),
    notifiedAt: p.datetime(3).nullable(),
    /** When the next sync is due. While a sync runs, when its lease ends. */
    nextSyncAt: p.datetime(3).index(),
    syncLeaseId: p.uuid().nullable(),
    /** Sync requests wait until then, to coalesce; null before the first sync. */
    coalesceUntil: p.datetime(3).nullable(),
    /** Time of the first request that no sync has taken up. */
    syncRequestedAt: p.datetime(3).nullable(),
    /** Since when a change awaits a successful sync: the first request, or the due time. */
    changeDetectedAt: p.datetime(3).nullable(),
    /** Consecutive leases that expired: their processes died. */
    syncStalledCount: p.integer().default(0),
    failingSince: p.datetime(3).nullable(),
    /** End of the last successful sync, and of the last one that found a change. */
    syncedAt: p.datetime(3).nullable(),
    changedAt: p.datetime(3).nullable(),
    /** W3C `traceparent` of the last traced request that no sync has taken up. */
    traceParent: p.text().nullable(),
    /** As `syncRequests` and `sync…`, for the reconciliation of channels. */
    reconcileRequests: p.bigint(),
    reconcileAt: p.datetime(3).index(),
    reconcileLeaseId: p.uuid().nullable(),
    reconcileFailures: p.integer().default(0),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'synced_calendar_key', properties: ['endUserAccount', 'calendarHash'] }],
});

/** Written before the provider is asked to open the channel. */
export const ProviderChannelEntity = defineEntity({
  name: 'ProviderChannel',
  tableName: 'provider_channel',
  ...ownedByApplication(),
  properties: {
    /** Also the id at providers that accept ours. */
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    syncedCalendar: () => p.manyToOne(SyncedCalendarEntity).deleteRule('cascade').index(),
    /** Secret that verifies notifications. */
    token: p.type(EncryptedType),
    /** `opening`, `live`, `closing`. */
    state: p.text(),
    /** Ids at the provider; null until it has returned them. */
    subscriptionId: p.text().nullable(),
    resourceId: p.text().nullable(),
    expiresAt: p.datetime(3).nullable(),
    renewAt: p.datetime(3).nullable(),
    renewedAt: p.datetime(3).nullable(),
    /** Consecutive changes found without a notification. */
    missedNotifications: p.integer().default(0),
    createdAt: p.datetime(3),
  },
  uniques: [
    {
      name: 'provider_channel_live',
      expression:
        'create unique index "provider_channel_live" on "provider_channel" ("synced_calendar_id") ' +
        'where "state" = \'live\'',
    },
  ],
});

/** Private extended properties of events at providers without private properties. */
export const PrivatePropertyEntity = defineEntity({
  name: 'PrivateProperty',
  tableName: 'private_property',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endUserAccount: () => p.manyToOne(EndUserAccountEntity).deleteRule('cascade'),
    /** Calendar id and iCalUid may be too long for an index. */
    calendarHash: p.type('bytea').$type<Buffer>(),
    iCalUidHash: p.type('bytea').$type<Buffer>().fieldName('ical_uid_hash'),
    instance: p.text(),
    properties: p.type(DisposableSecretType),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    { name: 'private_property_key', properties: ['endUserAccount', 'calendarHash', 'iCalUidHash', 'instance'] },
  ],
});

/** Content of a calendar when a sync token was issued: resource names and etags, no calendar content. */
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
    entries: p.type('bytea').$type<Buffer>(),
    /** Last save, replacement or read; housekeeping deletes unused snapshots. */
    usedAt: p.datetime(3).index(),
  },
  indexes: [{ name: 'sync_snapshot_of_calendar', properties: ['endUserAccount', 'calendarHash', 'usedAt'] }],
});
