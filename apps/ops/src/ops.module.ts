import { Module } from '@nestjs/common';
import { ApiKeyCommands, CreateApiKeyCommand, ListApiKeysCommand, RevokeApiKeyCommand } from './api-key.commands.js';
import {
  ApplicationCommands,
  CreateApplicationCommand,
  DeleteApplicationCommand,
  ListApplicationsCommand,
} from './application.commands.js';
import { GenerateKeyCommand, KeysCommands, RotateKeysCommand } from './keys.commands.js';
import { MigrateCommand } from './migrate.command.js';

@Module({
  providers: [
    ...[ApplicationCommands, CreateApplicationCommand, ListApplicationsCommand, DeleteApplicationCommand],
    ...[ApiKeyCommands, CreateApiKeyCommand, ListApiKeysCommand, RevokeApiKeyCommand],
    ...[KeysCommands, GenerateKeyCommand, RotateKeysCommand],
    MigrateCommand,
  ],
})
export class OpsModule {}
