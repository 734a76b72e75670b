import { Module } from '@nestjs/common';
import { ApiKeyCommands, CreateApiKeyCommand, ListApiKeysCommand, RevokeApiKeyCommand } from './api-key.commands.js';
import {
  ApplicationCommands,
  CreateApplicationCommand,
  DeleteApplicationCommand,
  ListApplicationsCommand,
  SetApplicationCommand,
} from './application.commands.js';
import { GenerateKeyCommand, KeysCommands, RotateKeysCommand } from './keys.commands.js';
import { MigrateCommand } from './migrate.command.js';
import {
  ListOAuthClientsCommand,
  OAuthClientCommands,
  ReleaseOAuthClientCommand,
  RemoveOAuthClientCommand,
  SetOAuthClientCommand,
} from './oauth-client.commands.js';
import { CreateOperatorCommand, OperatorCommands } from './operator.commands.js';
import { RecoverCommand } from './recover.command.js';
import {
  AddRedirectUrlCommand,
  ListRedirectUrlsCommand,
  RedirectUrlCommands,
  RemoveRedirectUrlCommand,
} from './redirect-url.commands.js';

@Module({
  providers: [
    ...[
      ApplicationCommands,
      CreateApplicationCommand,
      SetApplicationCommand,
      ListApplicationsCommand,
      DeleteApplicationCommand,
    ],
    ...[ApiKeyCommands, CreateApiKeyCommand, ListApiKeysCommand, RevokeApiKeyCommand],
    ...[OAuthClientCommands, SetOAuthClientCommand, ListOAuthClientsCommand, RemoveOAuthClientCommand],
    ReleaseOAuthClientCommand,
    ...[RedirectUrlCommands, AddRedirectUrlCommand, ListRedirectUrlsCommand, RemoveRedirectUrlCommand],
    ...[OperatorCommands, CreateOperatorCommand],
    ...[KeysCommands, GenerateKeyCommand, RotateKeysCommand],
    ...[MigrateCommand, RecoverCommand],
  ],
})
export class OpsModule {}
