export { SubscriptionCreator } from './subscription-creator.js';
export { CalendarSubscriptions } from './calendar-subscriptions.js';
