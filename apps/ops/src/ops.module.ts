import { Module } from '@nestjs/common';
import { InjectCommander } from 'nest-commander';
import { AccountCommands } from './account.commands.js';
import { ApiKeyCommands } from './api-key.commands.js';
import { ApplicationCommands } from './application.commands.js';
import { DemoCommand } from './demo.command.js';
import { DoctorCommand } from './doctor.command.js';
import { EndpointCommands, MessageCommands } from './endpoint.commands.js';
import { KeysCommands } from './keys.commands.js';
import { MigrateCommand } from './migrate.command.js';
import { OAuthClientCommands } from './oauth-client.commands.js';
import { OperatorCommands } from './operator.commands.js';
import { OperatorTokenCommands } from './operator-token.commands.js';
import { AfterRestoreCommand } from './after-restore.command.js';
import { RedirectUrlCommands } from './redirect-url.commands.js';

@Module({
  providers: [
    ...ApplicationCommands.registerWithSubCommands(),
    ...ApiKeyCommands.registerWithSubCommands(),
    ...OAuthClientCommands.registerWithSubCommands(),
    ...RedirectUrlCommands.registerWithSubCommands(),
    ...OperatorCommands.registerWithSubCommands(),
    ...OperatorTokenCommands.registerWithSubCommands(),
    ...KeysCommands.registerWithSubCommands(),
    ...AccountCommands.registerWithSubCommands(),
    ...EndpointCommands.registerWithSubCommands(),
    ...MessageCommands.registerWithSubCommands(),
    ...[DemoCommand, DoctorCommand, MigrateCommand, AfterRestoreCommand],
  ],
})
export class OpsModule {
  constructor(@InjectCommander() commander: { name(name: string): unknown }) {
    // Help would show the name of the file that was started.
    commander.name('ops');
  }
}
