import { CommandRunner, Option } from 'nest-commander';

type Command = Parameters<CommandRunner['setCommand']>[0];

/** Without `exitOverride` on every command, Commander exits the process on a wrong command line. */
abstract class OpsCommand extends CommandRunner {
  override setCommand(command: Command): this {
    command.exitOverride();
    return super.setCommand(command);
  }
}

export abstract class ReportingCommand extends OpsCommand {
  @Option({ flags: '--json', description: 'Print one line of JSON.' })
  json(): boolean {
    return true;
  }
}

export abstract class CommandGroup extends OpsCommand {
  override async run(parameters: string[]): Promise<void> {
    if (parameters.length > 0) this.command.error(`unknown command '${parameters.join(' ')}'`);
    this.command.help({ error: true });
  }
}
