import { Command, Option, SubCommand } from 'nest-commander';
import { OPERATOR_TOKEN_SCOPES } from '#domain/operator';
import { assertOperatorsServed, operate } from './connection.js';
import { ReportingCommand, CommandGroup } from './ops-command.js';
import { print, table } from './output.js';

interface CreateOptions {
  name: string;
  expires: string;
  scopes: string[];
  json?: boolean;
}

@SubCommand({ name: 'create', description: 'Create an operator token. Its text is shown only once.' })
export class CreateOperatorTokenCommand extends ReportingCommand {
  override async run(_: string[], { name, expires, scopes, ...options }: CreateOptions): Promise<void> {
    assertOperatorsServed(process.env);
    const created = await operate(({ operatorTokens }) => operatorTokens.create({ name, expires, scopes }, null));
    print(
      created,
      options,
      () =>
        `${created.token}\n\nToken ${created.id}, expires ${created.expiresAt.toISOString()}. It is not shown again.`,
    );
  }

  @Option({ flags: '--name <name>', description: 'Display name.', required: true })
  name(value: string): string {
    return value;
  }

  @Option({ flags: '--scopes <list>', description: `Of ${OPERATOR_TOKEN_SCOPES.join(', ')}.`, required: true })
  scopes(value: string): string[] {
    return value.split(',').map((scope) => scope.trim());
  }

  @Option({
    flags: '--expires <when>',
    description: '7, 30, 90, 180 or 365 (days), or an ISO 8601 date or instant within 366 days.',
    defaultValue: '90',
  })
  expires(value: string): string {
    return value;
  }
}

@SubCommand({ name: 'list', description: 'List the operator tokens.' })
export class ListOperatorTokensCommand extends ReportingCommand {
  override async run(_: string[], options: { json?: boolean }): Promise<void> {
    const data = await operate(({ operatorTokens }) => operatorTokens.list());
    print({ data }, options, () =>
      table(
        ['TOKEN', 'NAME', 'SCOPES', 'CREATED BY', 'EXPIRES', 'LAST USED'],
        data.map(({ id, name, scopes, createdBy, expiresAt, lastUsedAt }) => [
          ...[id, name, scopes.join(','), createdBy ?? 'ops'],
          ...[expiresAt.toISOString(), lastUsedAt?.toISOString() ?? 'never'],
        ]),
      ),
    );
  }
}

@SubCommand({ name: 'revoke', description: 'Revoke an operator token immediately. This cannot be undone.' })
export class RevokeOperatorTokenCommand extends ReportingCommand {
  override async run(_: string[], { id, ...options }: { id: string; json?: boolean }): Promise<void> {
    await operate(({ operatorTokens }) => operatorTokens.revoke(id));
    print({ id, revoked: true }, options, () => `Token ${id} revoked.`);
  }

  @Option({ flags: '--id <tokenId>', description: 'Which one.', required: true })
  id(value: string): string {
    return value;
  }
}

@Command({
  name: 'operator-token',
  description: 'Credentials of programs for the operator API.',
  subCommands: [CreateOperatorTokenCommand, ListOperatorTokensCommand, RevokeOperatorTokenCommand],
})
export class OperatorTokenCommands extends CommandGroup {}
