import { emailOf, identityOf, isIssuer, isOfTenant, issuerOf, type Profile } from './id-token.js';

const ROOT = 'https://login.microsoftonline.com';
const TID = 'aaaaaaaa-0000-4000-8000-000000000001';
const OTHER_TID = 'aaaaaaaa-0000-4000-8000-000000000002';
const OID = 'bbbbbbbb-0000-4000-8000-000000000001';
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';
const CLAIMS = { tid: TID, oid: OID, email: 'ida.berg@fabrikam.example', preferred_username: 'ida@fabrikam.example' };

describe('isIssuer (microsoft)', () => {
  it('N36 knows every directory of the platform, and nobody else', () => {
    expect(isIssuer(ROOT, issuerOf(ROOT, TID))).toBe(true);
    for (const iss of [
      '',
      ROOT,
      `${ROOT}/common/v2.0`,
      `${ROOT}/{tenantid}/v2.0`,
      `${ROOT}/${TID}`,
      `${ROOT}/${TID}/v2.0/`,
      `${ROOT}//${TID}/v2.0`,
      `https://sts.windows.net/${TID}/`,
      `https://login.microsoftonline.com.evil.example/${TID}/v2.0`,
      `https://evil.example/${TID}/v2.0`,
    ]) {
      expect([iss, isIssuer(ROOT, iss)]).toEqual([iss, false]);
    }
  });
});

describe('isOfTenant', () => {
  it.each([
    ['common', TID, true],
    ['common', PERSONAL, true],
    ['organizations', TID, true],
    ['organizations', PERSONAL, false],
    ['consumers', PERSONAL, true],
    ['consumers', TID, false],
    [TID, TID, true],
    [TID.toUpperCase(), TID, true],
    [TID, OTHER_TID, false],
    [TID, PERSONAL, false],
    [PERSONAL, PERSONAL.toUpperCase(), true],
    ['contoso.onmicrosoft.com', TID, true],
    ['contoso.onmicrosoft.com', PERSONAL, false],
  ])('N40 lets users in at %s from %s: %s', (tenant, tid, expected) => {
    expect(isOfTenant(tid, tenant)).toBe(expected);
  });
});

describe('identityOf (microsoft)', () => {
  it('N40 tells the same object of two directories apart, and spellings of one do not', () => {
    expect(identityOf(CLAIMS, null)?.subject).toBe(`${TID}.${OID}`);
    expect(identityOf({ ...CLAIMS, tid: OTHER_TID }, null)?.subject).toBe(`${OTHER_TID}.${OID}`);
    expect(identityOf({ ...CLAIMS, oid: OID.toUpperCase() }, null)?.subject).toBe(`${TID}.${OID}`);
  });

  it('N40 goes by no address', () => {
    const renamed = { ...CLAIMS, email: 'ceo@contoso.example', preferred_username: 'ceo@contoso.example' };
    expect(identityOf(renamed, null)?.subject).toBe(`${TID}.${OID}`);
  });

  it('has the address of the mailbox, and knows all of the others of the domain', () => {
    const profile = { mail: 'Ida@fabrikam.example', userPrincipalName: 'ida.b@Fabrikam.example' };
    expect(identityOf(CLAIMS, profile)).toEqual({
      subject: `${TID}.${OID}`,
      email: 'ida@fabrikam.example',
      otherEmails: ['ida.b@Fabrikam.example', 'ida.berg@fabrikam.example'],
      aliases: [],
    });
  });

  describe('of a directory', () => {
    const UPN = 'mallory@rogue.example';
    const VICTIM = 'Ceo@contoso.example';
    const ROGUE = { tid: TID, oid: OID, preferred_username: UPN };
    const named = (email: string, ...aliases: string[]) => ({
      ...{ subject: `${TID}.${OID}`, email, otherEmails: [], aliases },
    });

    it.each<[string, Record<string, unknown>, Profile | null]>([
      ['the mail of the profile', ROGUE, { mail: VICTIM, userPrincipalName: UPN }],
      ['the claim email', { ...ROGUE, email: VICTIM }, null],
      ['both', { ...ROGUE, email: VICTIM }, { mail: VICTIM, userPrincipalName: UPN }],
      ['a domain below that of the sign-in name', { ...ROGUE, email: 'ceo@mail.rogue.example' }, null],
      ['a domain above it', { ...ROGUE, preferred_username: 'm@a.rogue.example', email: 'ceo@rogue.example' }, null],
      ['a domain that ends alike', { ...ROGUE, email: 'ceo@notrogue.example' }, null],
      [
        'another sign-in name than the profile has',
        { ...ROGUE, preferred_username: VICTIM },
        { userPrincipalName: UPN },
      ],
    ])('lets nobody be called what its administrator wrote: %s', (_, claims, profile) => {
      const own = String(profile?.userPrincipalName ?? claims['preferred_username']);
      const identity = identityOf(claims, profile);
      expect(identity).toEqual(named(own, ...(identity?.aliases ?? [])));
      expect(identity?.aliases).toHaveLength(1);
    });

    it.each([true, 1, '1', 'true'])('takes the claim email with xms_edov %j', (verified) => {
      const claims = { ...ROGUE, email: 'ida@mail.example', xms_edov: verified };
      expect(identityOf(claims, { mail: 'IDA@mail.example', userPrincipalName: UPN })).toEqual({
        ...named('ida@mail.example'),
        otherEmails: [UPN],
      });
    });

    it.each([false, 0, '0', 'false', '', null, undefined, {}, [true]])('does not with xms_edov %j', (verified) => {
      expect(identityOf({ ...ROGUE, email: VICTIM, xms_edov: verified }, null)).toEqual(named(UPN, VICTIM));
    });

    it('takes no other address for the claim that is verified', () => {
      const claims = { ...ROGUE, email: 'ida@mail.example', xms_edov: true };
      expect(identityOf(claims, { mail: VICTIM, userPrincipalName: UPN })).toEqual({
        ...named(UPN, VICTIM),
        otherEmails: ['ida@mail.example'],
      });
    });

    it('knows a guest by what the directory itself vouches for', () => {
      const guest = { ...ROGUE, iss: 'here', idp: 'elsewhere', preferred_username: VICTIM };
      expect(identityOf(guest, null)).toEqual(named('', VICTIM));
      expect(identityOf(guest, { mail: VICTIM, userPrincipalName: 'ceo_contoso.example#EXT#@rogue.example' })).toEqual(
        named('', VICTIM),
      );
      expect(identityOf({ ...guest, email: VICTIM, xms_edov: true }, null)).toEqual(named(VICTIM));
      expect(identityOf({ ...guest, idp: 'here', preferred_username: UPN }, null)).toEqual(named(UPN));
    });
  });

  it('has every address of a personal account: Microsoft has verified them', () => {
    const claims = { ...CLAIMS, tid: PERSONAL.toUpperCase(), email: 'pat@mail.example' };
    expect(identityOf(claims, { mail: 'pat@outlook.example', userPrincipalName: 'pat@other.example' })).toEqual({
      subject: `${PERSONAL}.${OID}`,
      email: 'pat@outlook.example',
      otherEmails: ['pat@other.example', 'pat@mail.example', 'ida@fabrikam.example'],
      aliases: [],
    });
  });

  it.each([
    [{ ...CLAIMS }, 'ida.berg@fabrikam.example'],
    [{ ...CLAIMS, email: undefined }, 'ida@fabrikam.example'],
    [{ ...CLAIMS, email: '+49 30 1234' }, 'ida@fabrikam.example'],
    [{ ...CLAIMS, email: 'ida_mail.example#EXT#@fabrikam.example' }, 'ida@fabrikam.example'],
    [{ ...CLAIMS, email: ['a@b.example'], preferred_username: 'ida' }, ''],
    [{ ...CLAIMS, oid: undefined }, undefined],
    [{ ...CLAIMS, oid: `${OID}.x` }, undefined],
    [{ ...CLAIMS, oid: 7 }, undefined],
    [{ ...CLAIMS, tid: 'common' }, undefined],
  ])('without a profile, %j is %s', (claims, email) => {
    expect(identityOf(claims, null)?.email).toBe(email);
  });
});

describe('emailOf', () => {
  const work = { subject: `${TID}.${OID}`, email: 'ida@d.example', otherEmails: ['ida@mail.example'] };
  const personal = { subject: `${PERSONAL}.${OID}`, email: 'pat@d.example' };

  it.each([
    [{ mail: 'a@d.example', userPrincipalName: 'c@D.example' }, work, 'a@d.example'],
    [{ mail: 'a@b.example', userPrincipalName: 'c@d.example' }, work, 'c@d.example'],
    [{ mail: 'Ida@mail.example', userPrincipalName: 'c@d.example' }, work, 'Ida@mail.example'],
    [{ mail: 'a@b.example', userPrincipalName: null }, work, null],
    [{ mail: 'ida@d.example' }, work, 'ida@d.example'],
    [{ mail: 'a@b.example', userPrincipalName: 'c@d.example' }, personal, 'a@b.example'],
    [{ mail: null, userPrincipalName: 'c@d.example' }, work, 'c@d.example'],
    [{ mail: '', userPrincipalName: 'a_b.example#ext#@d.example' }, work, null],
    [{ mail: 'none', userPrincipalName: 'ida' }, work, null],
    [{ mail: { a: 1 } }, work, null],
  ])('of %j is %s', (profile, identity, email) => {
    expect(emailOf(profile, identity)).toBe(email);
  });
});
