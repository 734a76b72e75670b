import { Module } from '@nestjs/common';
import { ExternalDeliveryModule } from '#webhooks';
import { AccountsModule } from '../accounts/accounts.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { SubscriptionsModule } from '../webhooks/webhooks.modules.js';
import { OperatorAccountsService } from './accounts.service.js';
import { DeliveryActions, OperatorDeliveriesService } from './deliveries.service.js';
import { OperatorsService } from './operators.service.js';

const services = [DeliveryActions, OperatorAccountsService, OperatorDeliveriesService, OperatorsService];

/** What operators do in the dashboard and at the command line alike. */
@Module({
  imports: [AccountsModule, ExternalDeliveryModule, SubscriptionsModule, TokensModule],
  providers: services,
  exports: services,
})
export class AdministrationModule {}
