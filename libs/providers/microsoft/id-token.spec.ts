import { emailOf, identityOf, isIssuer, isOfTenant, issuerOf } from './id-token.js';

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

  it('has the address of the mailbox, and knows all of the others', () => {
    const profile = { mail: 'Ida@mail.example', userPrincipalName: 'ida@fabrikam.onmicrosoft.example' };
    expect(identityOf(CLAIMS, profile)).toEqual({
      subject: `${TID}.${OID}`,
      email: 'Ida@mail.example',
      aliases: ['ida@fabrikam.onmicrosoft.example', 'ida.berg@fabrikam.example', 'ida@fabrikam.example'],
    });
    expect(identityOf(CLAIMS, { mail: null, userPrincipalName: 'IDA@fabrikam.example' })).toMatchObject({
      email: 'ida@fabrikam.example',
      aliases: ['ida.berg@fabrikam.example'],
    });
  });

  it.each([
    [{ ...CLAIMS }, 'ida.berg@fabrikam.example'],
    [{ ...CLAIMS, email: undefined }, 'ida@fabrikam.example'],
    [{ ...CLAIMS, email: '+49 30 1234' }, 'ida@fabrikam.example'],
    [{ ...CLAIMS, email: 'ida_mail.example#EXT#@fabrikam.example' }, 'ida@fabrikam.example'],
    [{ ...CLAIMS, email: ['a@b.example'], preferred_username: 'ida' }, undefined],
    [{ ...CLAIMS, oid: undefined }, undefined],
    [{ ...CLAIMS, oid: `${OID}.x` }, undefined],
    [{ ...CLAIMS, oid: 7 }, undefined],
    [{ ...CLAIMS, tid: 'common' }, undefined],
  ])('without a profile, %j is %s', (claims, email) => {
    expect(identityOf(claims, null)?.email).toBe(email);
  });
});

describe('emailOf', () => {
  it.each([
    [{ mail: 'a@b.example', userPrincipalName: 'c@d.example' }, 'a@b.example'],
    [{ mail: null, userPrincipalName: 'c@d.example' }, 'c@d.example'],
    [{ mail: '', userPrincipalName: 'a_b.example#ext#@d.example' }, null],
    [{ mail: 'none', userPrincipalName: 'ida' }, null],
    [{ mail: { a: 1 } }, null],
  ])('of %j is %s', (profile, email) => {
    expect(emailOf(profile)).toBe(email);
  });
});
