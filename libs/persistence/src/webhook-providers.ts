import {
  AccountEventRelay,
  Clock,
  DeliveryOversight,
  InstallationFigures,
  Ids,
  OverviewFigures,
  ProviderChannelRepository,
  WatchedCalendarRepository,
  WebhookEndpointRepository,
  WebhookMessageRepository,
} from '#domain';
import { Database } from './database/database.js';
import { FieldCipher } from './encryption/field-cipher.js';
import { SqlAccountEventRelay } from './repositories/account-event-relay.js';
import { SqlDeliveryOversight } from './repositories/delivery-oversight.repository.js';
import { SqlInstallationFigures } from './repositories/installation-figures.js';
import { SqlOverviewFigures } from './repositories/overview.repository.js';
import { SqlProviderChannelRepository } from './repositories/provider-channel.repository.js';
import { SqlWatchedCalendarRepository } from './repositories/watched-calendar.repository.js';
import { SqlWebhookEndpointRepository } from './repositories/webhook-endpoint.repository.js';
import { SqlWebhookMessageRepository } from './repositories/webhook-message.repository.js';

/** What brings changes to applications, and what operators see of it. */
export function webhookProviders() {
  return [
    {
      provide: WebhookEndpointRepository,
      inject: [Database, FieldCipher, Ids, Clock],
      useFactory: (database: Database, cipher: FieldCipher, ids: Ids, clock: Clock) =>
        new SqlWebhookEndpointRepository(database, cipher, ids, clock),
    },
    {
      provide: WebhookMessageRepository,
      inject: [Database, FieldCipher],
      useFactory: (database: Database, cipher: FieldCipher) => new SqlWebhookMessageRepository(database, cipher),
    },
    {
      provide: WatchedCalendarRepository,
      inject: [Database, Ids, Clock],
      useFactory: (database: Database, ids: Ids, clock: Clock) =>
        new SqlWatchedCalendarRepository(database, ids, clock),
    },
    {
      provide: ProviderChannelRepository,
      inject: [Database, FieldCipher, Ids, Clock],
      useFactory: (database: Database, cipher: FieldCipher, ids: Ids, clock: Clock) =>
        new SqlProviderChannelRepository(database, cipher, ids, clock),
    },
    {
      provide: AccountEventRelay,
      inject: [Database, Ids],
      useFactory: (database: Database, ids: Ids) => new SqlAccountEventRelay(database, ids),
    },
    {
      provide: DeliveryOversight,
      inject: [Database],
      useFactory: (database: Database) => new SqlDeliveryOversight(database),
    },
    {
      provide: InstallationFigures,
      inject: [Database],
      useFactory: (database: Database) => new SqlInstallationFigures(database),
    },
    {
      provide: OverviewFigures,
      inject: [Database],
      useFactory: (database: Database) => new SqlOverviewFigures(database),
    },
  ];
}
