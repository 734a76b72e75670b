import type { ConnectRequest } from '#domain/providers';
import { clientOver, refusal, SECRET, sessionOf } from './testing/microsoft-client.js';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { connectAccount } from './connect-account.js';

const CALENDAR = 'GET /v1.0/me/calendar';
const ME = 'GET /v1.0/me';
const IDENTITY = {
  subject: 'aaaaaaaa-0000-4000-8000-000000000001.bbbbbbbb-0000-4000-8000-000000000001',
  email: 'ida@fabrikam.example',
};
const SCOPES = ['User.Read', 'Calendars.ReadWrite'];
const PROFILE = { id: 'x', mail: 'Ida.Berg@fabrikam.example', userPrincipalName: 'ida@fabrikam.example' };

function fixture({
  calendar = { json: { id: 'AAMk=' } },
  me = { json: PROFILE },
}: { calendar?: Scripted; me?: Scripted } = {}) {
  const egress = new ScriptedEgress().on(CALENDAR, calendar).on(ME, me);
  const { deps, slots } = clientOver(egress);
  const connect = (overrides: Partial<ConnectRequest> = {}) =>
    connectAccount(deps, {
      applicationId: 'application',
      email: '',
      serverUrl: null,
      credentials: sessionOf().credentials,
      grant: { identity: IDENTITY, scopes: SCOPES },
      signal: new AbortController().signal,
      ...overrides,
    });
  return { egress, slots, connect };
}

describe('connectAccount (microsoft)', () => {
  it('proves the mailbox, and names the account by its address', async () => {
    const { egress, slots, connect } = fixture();
    expect(await connect()).toEqual({
      email: 'Ida.Berg@fabrikam.example',
      serverUrl: null,
      providerAccountId: IDENTITY.subject,
      authorizedScopes: SCOPES,
      providerState: {},
    });
    expect(egress.lines).toEqual([CALENDAR, ME]);
    expect(slots.held).toEqual([]);
    expect(new Set(egress.requests.map(({ headers }) => headers?.['authorization']))).toEqual(
      new Set([`Bearer ${SECRET}`]),
    );
  });

  it.each<[string, Scripted, string]>([
    ['its sign-in name', { json: { ...PROFILE, mail: null } }, 'ida@fabrikam.example'],
    ['the id_token, for guests', { json: { mail: null, userPrincipalName: 'i_x#EXT#@y.example' } }, IDENTITY.email],
    ['the id_token, where the profile may not be read', refusal(403, 'Authorization_RequestDenied'), IDENTITY.email],
  ])('takes the address from %s', async (_, me, email) => {
    expect(await fixture({ me }).connect()).toMatchObject({ email });
  });

  it('asks for no profile that the grant does not let it read', async () => {
    const { egress, connect } = fixture();
    const grant = { identity: IDENTITY, scopes: ['Calendars.Read'] };
    expect(await connect({ grant })).toMatchObject({ email: IDENTITY.email });
    expect(egress.lines).toEqual([CALENDAR]);
  });

  it.each<Scripted>([refusal(404, 'MailboxNotEnabledForRESTAPI'), refusal(404, 'ResourceNotFound'), { status: 404 }])(
    'says that there is no mailbox: %j',
    async (calendar) => {
      await expect(fixture({ calendar }).connect()).rejects.toMatchObject({
        code: 'CredentialsRejected',
        message: expect.stringMatching(/has no mailbox .* guests/),
      });
    },
  );

  it('N40 refuses whom only an address tells from others, before anything is asked', async () => {
    const { egress, connect } = fixture();
    for (const grant of [{ identity: null, scopes: SCOPES }, undefined]) {
      await expect(connect({ email: IDENTITY.email, grant })).rejects.toMatchObject({
        code: 'CredentialsRejected',
        message: expect.stringContaining('openid and profile'),
      });
    }
    expect(egress.lines).toEqual([]);
  });

  it('T13 refuses a grant that does not let calendars be read', async () => {
    const { egress, connect } = fixture({ calendar: refusal(403, 'ErrorAccessDenied') });
    const notEnough = { code: 'CredentialsRejected', message: expect.stringContaining('permission') };
    await expect(connect({ grant: { identity: IDENTITY, scopes: ['User.Read'] } })).rejects.toMatchObject(notEnough);
    expect(egress.lines).toEqual([]);
    await expect(connect({ grant: { identity: IDENTITY, scopes: [] } })).rejects.toMatchObject(notEnough);
  });

  it.each<[string, { calendar?: Scripted; me?: Scripted }]>([
    ['the calendar', { calendar: refusal(401, 'InvalidAuthenticationToken') }],
    ['the profile', { me: refusal(401, 'InvalidAuthenticationToken') }],
  ])('passes on that Graph does not accept the token for %s', async (_, responses) => {
    await expect(fixture(responses).connect()).rejects.toMatchObject({ name: 'GraphApiError', status: 401 });
  });

  it('takes no password', async () => {
    await expect(fixture().connect({ credentials: { kind: 'password', password: 'p' } })).rejects.toMatchObject({
      code: 'CredentialsRejected',
    });
  });
});
