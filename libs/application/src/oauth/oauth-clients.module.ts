import { Module } from '@nestjs/common';
import { SharedOAuthClients } from '#domain';
import { MassExpiryBreaker } from '../accounts/mass-expiry-breaker.js';
import { OAuthClients } from '../accounts/token-refresh.js';
import { OAuthClientsService } from './oauth-clients.service.js';
import { ConfiguredOAuthClients } from './shared-oauth-clients.js';

const services = [OAuthClients, OAuthClientsService, MassExpiryBreaker];

/** OAuth clients of applications and of the installation, and whether the refusals of their grants are believed. */
@Module({
  providers: [...services, { provide: SharedOAuthClients, useClass: ConfiguredOAuthClients }],
  exports: [...services, SharedOAuthClients],
})
export class OAuthClientsModule {}
