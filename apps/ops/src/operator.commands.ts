import { Command, Option, SubCommand } from 'nest-commander';
import { OPERATOR_ROLES, type OperatorRole } from '#domain/operator';
import { DomainError } from '#domain/system';
import { administer } from './administration.js';
import { assertOperatorsServed, operate } from './connection.js';
import { ReportingCommand, CommandGroup } from './ops-command.js';
import { print, table, UsageError } from './output.js';

interface CreateOptions {
  email: string;
  role: OperatorRole;
  json?: boolean;
}

@SubCommand({ name: 'create', description: 'Invite an operator to the dashboard. The link is shown only once.' })
export class CreateOperatorCommand extends ReportingCommand {
  override async run(_: string[], { email, role, ...options }: CreateOptions): Promise<void> {
    assertOperatorsServed(process.env);
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

@SubCommand({ name: 'list', description: 'List the operators.' })
export class ListOperatorsCommand extends ReportingCommand {
  override async run(_: string[], options: { json?: boolean }): Promise<void> {
    const data = await administer(({ operators }) => operators.list());
    print({ data }, options, () =>
      table(
        ['OPERATOR', 'EMAIL', 'ROLE', 'LAST SIGN-IN'],
        data.map(({ id, email, role, lastSignInAt }) => [id, email, role, lastSignInAt?.toISOString() ?? 'never']),
      ),
    );
  }
}

@SubCommand({ name: 'remove', description: 'Remove an operator, whose sessions end. One admin has to stay.' })
export class RemoveOperatorCommand extends ReportingCommand {
  override async run(_: string[], { email, ...options }: { email: string; json?: boolean }): Promise<void> {
    await administer(async ({ operators }) => {
      const operator = (await operators.list()).find((each) => each.email === email.toLowerCase());
      if (operator === undefined) throw new DomainError('NotFound', 'There is no operator with this email.');
      await operators.remove(operator.id);
    });
    print({ email, removed: true }, options, () => `${email} is no operator any more.`);
  }

  @Option({ flags: '--email <email>', description: 'Of whom.', required: true })
  email(value: string): string {
    return value;
  }
}

@Command({
  name: 'operator',
  description: 'The people who run the installation in the dashboard.',
  subCommands: [CreateOperatorCommand, ListOperatorsCommand, RemoveOperatorCommand],
})
export class OperatorCommands extends CommandGroup {}
