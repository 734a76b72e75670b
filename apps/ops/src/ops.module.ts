import { Module } from '@nestjs/common';
import { ApiKeyCommands } from './api-key.commands.js';
import { ApplicationCommands } from './application.commands.js';
import { DemoCommand } from './demo.command.js';
import { KeysCommands } from './keys.commands.js';
import { MigrateCommand } from './migrate.command.js';
import { OAuthClientCommands } from './oauth-client.commands.js';
import { OperatorCommands } from './operator.commands.js';
import { AfterRestoreCommand } from './recover.command.js';
import { RedirectUrlCommands } from './redirect-url.commands.js';

@Module({
  providers: [
    ...ApplicationCommands.registerWithSubCommands(),
    ...ApiKeyCommands.registerWithSubCommands(),
    ...OAuthClientCommands.registerWithSubCommands(),
    ...RedirectUrlCommands.registerWithSubCommands(),
    ...OperatorCommands.registerWithSubCommands(),
    ...KeysCommands.registerWithSubCommands(),
    ...[DemoCommand, MigrateCommand, AfterRestoreCommand],
  ],
})
export class OpsModule {}
