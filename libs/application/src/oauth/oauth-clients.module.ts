import { Module } from '@nestjs/common';
import { SharedOAuthClients } from '#domain/oauth';
import { MassExpiryBreaker } from '../accounts/mass-expiry-breaker.js';
import { OAuthClients } from '../accounts/token-refresh.js';
import { OAuthClientsService } from './oauth-clients.service.js';
import { ConfiguredOAuthClients } from './shared-oauth-clients.js';

const services = [OAuthClients, OAuthClientsService, MassExpiryBreaker];

@Module({
  providers: [...services, { provide: SharedOAuthClients, useClass: ConfiguredOAuthClients }],
  exports: [...services, SharedOAuthClients],
})
export class OAuthClientsModule {}
