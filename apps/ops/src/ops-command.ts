import { CommandRunner, Option } from 'nest-commander';

type Command = Parameters<CommandRunner['setCommand']>[0];

/** Commander ends the process by itself when a command line is wrong, unless every single command is told not to. */
abstract class OpsCommand extends CommandRunner {
  override setCommand(command: Command): this {
    command.exitOverride();
    return super.setCommand(command);
  }
}

/** A command that does something and says what came out. */
export abstract class AnsweringCommand extends OpsCommand {
  @Option({ flags: '--json', description: 'Answer with one line of JSON.' })
  json(): boolean {
    return true;
  }
}

/** A command that only groups others. */
export abstract class CommandGroup extends OpsCommand {
  override async run(parameters: string[]): Promise<void> {
    if (parameters.length > 0) this.command.error(`unknown command '${parameters.join(' ')}'`);
    this.command.help({ error: true });
  }
}
