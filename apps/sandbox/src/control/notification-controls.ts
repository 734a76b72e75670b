import type { Messages } from '../notifications/messages.js';
import { integer, object, oneOf, optional, pauseMs } from './input.js';
import { post, type ControlRoute } from './routes.js';

/** `…/notifications` of a provider: sets whether its messages arrive. */
export function notificationControl(prefix: string, messages: Messages): ControlRoute {
  return post(
    `${prefix}/notifications`,
    object({
      mode: oneOf(['deliver', 'drop', 'duplicate']),
      everyNth: optional(integer(1, 1_000_000)),
      delayMs: optional(pauseMs),
    }),
    ({ mode, everyNth = 1, delayMs = 0 }) => messages.behave({ mode, everyNth, delayMs }),
  );
}
