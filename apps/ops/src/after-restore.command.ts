import { Command, Option } from 'nest-commander';
import type { KeyLossReport } from '#application/accounts';
import { recoverFromBackup, type RecoveryReport } from '#persistence';
import { findDatabaseUrl, operate } from './connection.js';
import { ReportingCommand } from './ops-command.js';
import { print } from './output.js';

@Command({
  name: 'after-restore',
  aliases: ['recover'],
  description: 'Run after a restore: discard what the backup cannot know, and sync all calendars.',
})
export class AfterRestoreCommand extends ReportingCommand {
  override async run(_: string[], options: { keysLost?: boolean; json?: boolean }): Promise<void> {
    const report = await recoverFromBackup(findDatabaseUrl(process.env));
    if (options.keysLost !== true) {
      print(report, options, () => recovered(report));
      return;
    }
    const lost = await operate(({ lostKeys }) => lostKeys.discardUnreadable());
    print({ ...report, lostKeys: lost }, options, () => `${recovered(report)}\n${keyLossText(lost)}`);
  }

  @Option({
    flags: '--keys-lost',
    description: 'Also discard secrets that no key of ENCRYPTION_KEYS can decrypt. Their accounts become EXPIRED.',
  })
  keysLost(): boolean {
    return true;
  }
}

function recovered(report: RecoveryReport): string {
  return [
    `${report.calendarsToSync} calendars are synced at once, ${report.reopenedChannels} push channels opened anew.`,
    `${report.droppedSnapshots} sync tokens of clients have expired.`,
    `${report.endedSessions} operators are signed out, ${report.withdrawnInvitations} invitations withdrawn.`,
    'Revoke again the API keys that were revoked after the backup.',
  ].join('\n');
}

function keyLossText({ expiredAccounts, oauthClients, endpoints, forgotten }: KeyLossReport): string {
  return [
    `${expiredAccounts} accounts have to be connected again; ${forgotten} other secrets are forgotten.`,
    ...oauthClients.map(
      ({ applicationId, providerType, clientId }) =>
        `Set the secret again: oauth-client set --application ${applicationId} ` +
        `--provider ${providerType.toLowerCase()} --client-id ${clientId} --client-secret -`,
    ),
    ...endpoints.map(
      ({ applicationId, endpointId }) => `Application ${applicationId} must rotate the secret of ${endpointId}.`,
    ),
  ].join('\n');
}
