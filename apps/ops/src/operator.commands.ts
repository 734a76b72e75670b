import { Command, Option, SubCommand } from 'nest-commander';
import { OPERATOR_ROLES, type OperatorRole } from '#domain/operator';
import { operate } from './connection.js';
import { ReportingCommand, CommandGroup } from './ops-command.js';
import { print, UsageError } from './output.js';

interface CreateOptions {
  email: string;
  role: OperatorRole;
  json?: boolean;
}

@SubCommand({ name: 'create', description: 'Invite an operator to the dashboard. The link is shown only once.' })
export class CreateOperatorCommand extends ReportingCommand {
  override async run(_: string[], { email, role, ...options }: CreateOptions): Promise<void> {
    const invitation = await operate(({ operatorInvitations }) => operatorInvitations.invite({ email, role }, null));
    print(
      invitation,
      options,
      () => `${invitation.link}\n\nFor ${invitation.email}, until ${invitation.expiresAt.toISOString()}.`,
    );
  }

  @Option({ flags: '--email <email>', description: 'Of whom.', required: true })
  email(value: string): string {
    if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254)
      throw new UsageError('--email must be an email address');
    return value;
  }

  @Option({ flags: '--role <role>', description: 'admin, or viewer, who changes nothing.', defaultValue: 'admin' })
  role(value: string): OperatorRole {
    const role = OPERATOR_ROLES.find((known) => known === value);
    if (role === undefined) throw new UsageError(`--role must be one of ${OPERATOR_ROLES.join(', ')}`);
    return role;
  }
}

@Command({
  name: 'operator',
  description: 'The people who run the installation in the dashboard.',
  subCommands: [CreateOperatorCommand],
})
export class OperatorCommands extends CommandGroup {}
