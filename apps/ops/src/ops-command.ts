import { CommandRunner, Option } from 'nest-commander';
import { isUuid } from '#domain/system';
import { UsageError } from './output.js';

type Command = Parameters<CommandRunner['setCommand']>[0];

/** Without `exitOverride` on every command, Commander exits the process on a wrong command line. */
abstract class OpsCommand extends CommandRunner {
  override setCommand(command: Command): this {
    command.exitOverride();
    return super.setCommand(command);
  }
}

export abstract class ReportingCommand extends OpsCommand {
  override setCommand(command: Command): this {
    return super.setCommand(command.allowExcessArguments(false));
  }

  @Option({ flags: '--json', description: 'Print one line of JSON.' })
  json(): boolean {
    return true;
  }
}

/** Is about one thing, by its id. */
export abstract class OneCommand extends ReportingCommand {
  @Option({ flags: '--id <id>', description: 'Which one.', required: true })
  id(value: string): string {
    return value;
  }
}

export interface PageOptions {
  application?: string;
  limit?: number;
  pageToken?: string;
  json?: boolean;
}

/** Prints one page of a list, of one application or of all. */
export abstract class PageCommand extends ReportingCommand {
  @Option({ flags: '--application <applicationId>', description: 'Of one application.' })
  application(value: string): string {
    if (!isUuid(value)) throw new UsageError('--application must be the id of an application');
    return value;
  }

  @Option({ flags: '--limit <count>', description: 'Rows on the page, 1 to 200 (default: 50).' })
  limit(value: string): number {
    if (!/^[1-9]\d{0,2}$/.test(value)) throw new UsageError('--limit must be a whole number from 1 to 200');
    return Number(value);
  }

  @Option({ flags: '--page-token <token>', description: 'nextPageToken of the page before.' })
  pageToken(value: string): string {
    return value;
  }
}

export abstract class CommandGroup extends OpsCommand {
  override async run(parameters: string[]): Promise<void> {
    if (parameters.length > 0) this.command.error(`unknown command '${parameters.join(' ')}'`);
    this.command.help({ error: true });
  }
}
