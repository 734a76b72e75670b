import { DomainError } from '#domain/system';
import { EgressError } from '#egress';
import { transportFailure } from '#providers/kit/calls';
import { davFailure, THE_SERVER, unreadableResponse, type DavOperation } from './dav-errors.js';
import { XmlError } from './xml-reader.js';

const CALDAV = '{urn:ietf:params:xml:ns:caldav}';

describe('davFailure', () => {
  it.each<[number, string | null, DavOperation, string, string | null]>([
    [400, null, 'read', 'ProviderRejected', null],
    [403, null, 'write', 'Forbidden', null],
    [403, '{DAV:}need-privileges', 'write', 'ReadOnlyCalendar', 'need-privileges'],
    [403, '{DAV:}need-privileges', 'read', 'Forbidden', 'need-privileges'],
    [403, `${CALDAV}valid-calendar-data`, 'write', 'ProviderRejected', 'valid-calendar-data'],
    [409, `${CALDAV}valid-calendar-object-resource`, 'write', 'ProviderRejected', 'valid-calendar-object-resource'],
    [403, `${CALDAV}supported-calendar-component`, 'write', 'ProviderRejected', 'supported-calendar-component'],
    [403, `${CALDAV}max-resource-size`, 'write', 'ProviderRejected', 'max-resource-size'],
    [403, `${CALDAV}min-date-time`, 'write', 'ProviderRejected', 'min-date-time'],
    [403, `${CALDAV}max-attendees-per-instance`, 'write', 'ProviderRejected', 'max-attendees-per-instance'],
    [
      403,
      `${CALDAV}allowed-attendee-scheduling-object-change`,
      'write',
      'Forbidden',
      'allowed-attendee-scheduling-object-change',
    ],
    [403, `${CALDAV}no-uid-conflict`, 'write', 'Conflict', 'no-uid-conflict'],
    [412, `${CALDAV}no-uid-conflict`, 'write', 'Conflict', 'no-uid-conflict'],
    [409, `${CALDAV}unique-scheduling-object-resource`, 'write', 'Conflict', 'unique-scheduling-object-resource'],
    [403, '{DAV:}valid-sync-token', 'read', 'SyncTokenExpired', 'valid-sync-token'],
    [404, null, 'read', 'NotFound', null],
    [410, null, 'read', 'NotFound', null],
    [405, null, 'write', 'NotSupportedByProvider', null],
    [409, null, 'write', 'Conflict', null],
    [412, null, 'write', 'PreconditionFailed', null],
    [413, null, 'write', 'PayloadTooLarge', null],
    [418, null, 'write', 'ProviderRejected', null],
    [423, null, 'write', 'Conflict', null],
    [429, null, 'read', 'ProviderRateLimited', null],
    [500, null, 'read', 'ProviderUnavailable', null],
    [501, null, 'write', 'NotSupportedByProvider', null],
    [504, null, 'read', 'ProviderTimeout', null],
    [507, null, 'write', 'ProviderRejected', 'quota'],
    [302, null, 'read', 'ProviderUnavailable', null],
    [403, '{evil}Your password is hunter2', 'write', 'Forbidden', null],
    [403, '{evil}__proto__', 'write', 'Forbidden', null],
  ])('%i with %s on %s is %s', (status, precondition, operation, code, providerCode) => {
    const error = davFailure({ status, precondition }, operation);
    expect(error.code).toBe(code);
    expect(error.provider).toMatchObject({ status, code: providerCode });
    expect(JSON.stringify([error.message, error.provider])).not.toContain('hunter2');
  });
});

describe('transportFailure', () => {
  it('says the same of every way not to get an answer', () => {
    const messages = (['dns', 'connect', 'tls', 'reset', 'address-blocked', 'bad-url'] as const).map((failure) => {
      const error = transportFailure(THE_SERVER, new EgressError(failure)) as DomainError;
      return `${error.code} ${error.message}`;
    });
    expect(new Set(messages)).toEqual(new Set(['ProviderUnavailable The calendar server cannot be reached.']));
  });

  it('tells time limits, sizes and garbage apart, and leaves other errors alone', () => {
    expect(transportFailure(THE_SERVER, new EgressError('timeout'))).toMatchObject({ code: 'ProviderTimeout' });
    expect(unreadableResponse(new EgressError('too-large'))).toMatchObject({
      provider: { code: 'response-too-large' },
    });
    expect(unreadableResponse(new XmlError('doctype'))).toMatchObject({
      code: 'ProviderUnavailable',
      provider: { code: 'response-invalid' },
    });
    const bug = new TypeError('x');
    expect(unreadableResponse(bug)).toBe(bug);
  });
});
