export { ProviderNotifications, NotificationsNotStored } from './provider-notifications.service.js';
export { ChannelReconciler } from './channel-reconciler.js';
export { NotificationUrls } from './channel-client.js';
