import { DomainError, invalid } from '#domain/system';

describe('invalid', () => {
  it('names the field in the message and in the details', () => {
    const error = invalid('start.dateTime', 'must be an ISO 8601 date-time');
    expect(error).toBeInstanceOf(DomainError);
    expect(error.code).toBe('ValidationFailed');
    expect(error.details).toEqual([{ path: 'start.dateTime', message: 'must be an ISO 8601 date-time' }]);
  });
});
