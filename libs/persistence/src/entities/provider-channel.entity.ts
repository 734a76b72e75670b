import { defineEntity, p } from '@mikro-orm/core';
import { EncryptedType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';
import { WatchedCalendarEntity } from './watched-calendar.entity.js';

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
