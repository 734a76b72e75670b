import { Operator } from '../../support/operator.js';
import { OperatorBrowser } from '../../support/operator-browser.js';
import { eventually } from '../../support/processes.js';
import { operatorSession } from '../../support/operator-session.js';
import { startService, type Answer, type Service } from '../../support/service.js';

let service: Service;

beforeAll(async () => {
  service = await startService({
    OPERATOR_PASSWORDS: 'off',
    OIDC_ISSUER: 'https://id.example/house',
    OIDC_CLIENT_ID: 'dashboard',
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_LABEL: 'SandboxState',
  });
});

afterAll(async () => service?.stop());

const outcome = ({ status, body }: Answer): unknown => [status, body.code];
const REFUSED = [403, 'PasswordsDisabled'];

it('logs no link that would set a password, but how the first operator is invited', async () => {
  const log = () => service.program.stdout();
  await eventually('the command', () => log().includes('operator create --email <email>') || undefined);
  expect(log()).not.toContain('setupLink');
});

it('tells the page before a session that there are no passwords', async () => {
  expect((await new OperatorBrowser(service).call('GET', '/welcome')).body).toEqual({
    needsSetup: true,
    hasPasswords: false,
    sso: { label: 'SandboxState' },
  });
});

it('takes no password: at the sign-in, from an operator, or from who is invited', async () => {
  const browser = new OperatorBrowser(service);
  expect(outcome(await browser.signIn('ada@example.com', 'correct horse battery'))).toEqual(REFUSED);
  const ada = await operatorSession(service);
  const change = { currentPassword: 'correct horse battery', newPassword: 'staple battery horse' };
  expect(outcome(await ada.call('PUT', '/session/password', { body: change }))).toEqual(REFUSED);
  const invited = await ada.call('POST', '/invitations', { body: { email: 'grace@example.com', role: 'viewer' } });
  const token = invited.body.link.slice(invited.body.link.indexOf('#') + 1);
  const accept = { token, name: 'Grace', password: 'correct horse battery' };
  expect(outcome(await browser.call('POST', '/invitations/accept', { body: accept }))).toEqual(REFUSED);
  // What it is for can still be read: the page leads to the single sign-on.
  const opened = await browser.call('POST', '/invitations/open', { body: { token } });
  expect(opened.body).toMatchObject({ email: 'grace@example.com', role: 'viewer' });
});

it('does not keep the command line from inviting', async () => {
  const operator = Operator.start(service.env);
  try {
    const invitation = { email: 'linus@example.com', role: 'admin' };
    expect(await operator.call('operatorInvitations', 'invite', invitation)).toMatchObject(invitation);
  } finally {
    await operator.stop();
  }
});
