import { NotificationAddresses } from './notification-addresses.js';

describe('NotificationAddresses', () => {
  it.each(['https://calendar.example.com', 'https://calendar.example.com//'])('are below %s', (publicUrl) => {
    const addresses = new NotificationAddresses(publicUrl);
    expect(addresses.of('GOOGLE')).toMatchObject({
      notificationUrl: 'https://calendar.example.com/api/v1/providers/google/notifications',
    });
    expect(addresses.of('MICROSOFT')).toEqual({
      notificationUrl: 'https://calendar.example.com/api/v1/providers/microsoft/notifications',
      lifecycleUrl: 'https://calendar.example.com/api/v1/providers/microsoft/lifecycle',
    });
  });

  it('keep the path that a proxy adds', () => {
    expect(new NotificationAddresses('https://example.com/cal/').of('GOOGLE').notificationUrl).toBe(
      'https://example.com/cal/api/v1/providers/google/notifications',
    );
  });
});
