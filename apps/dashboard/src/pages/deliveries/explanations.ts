import type { Api } from '../../api/index.js';

export interface Explanation {
  what: string;
  todo: string;
}

const DISABLED: Record<string, Explanation> = {
  gone: {
    what: 'The receiver answered 410: it wants no more messages.',
    todo: 'If that was a mistake, have the receiver answer 2xx, enable the endpoint, then recover what failed.',
  },
  failing: {
    what: 'For five days every attempt failed.',
    todo: 'Have the receiver repaired (the failed messages below show what it answered), enable the endpoint, then recover what failed.',
  },
  requested: {
    what: 'It was disabled on request.',
    todo: 'Enable it when its application wants messages again.',
  },
};

export function whyDisabled({ disabledReason }: { disabledReason: string | null }): Explanation {
  return (
    DISABLED[disabledReason ?? ''] ?? {
      what: disabledReason === null ? 'It is disabled.' : `It is disabled: ${disabledReason}.`,
      todo: 'Enable it when its receiver is ready, then recover what failed.',
    }
  );
}

const BLOCKED: Explanation = {
  what: 'The address is in a network that messages may not go to.',
  todo: 'The URL has to lead to a public address. A receiver in your own network has to be named in EGRESS_ALLOW.',
};
const BAD_URL: Explanation = {
  what: 'The URL is none that messages may be sent to.',
  todo: 'Its application has to subscribe again, with an https URL.',
};

const GIVEN_UP: Record<string, Explanation> = {
  exhausted: {
    what: 'Every attempt of the schedule failed, over about 28 hours.',
    todo: 'Read below what the receiver answered. Once it works, resend this message, or recover all that failed on the page of the endpoint.',
  },
  gone: {
    what: 'The receiver answered 410: it wants no more messages.',
    todo: 'Its endpoint is disabled. Enable it before you resend.',
  },
  'endpoint-disabled': {
    what: 'Its endpoint was disabled before the message could be delivered.',
    todo: 'Enable the endpoint, then resend this message, or recover all that failed.',
  },
  'address-blocked': BLOCKED,
  'bad-url': BAD_URL,
};

export function failureExplanation({ failureReason }: Pick<Api.MessageSummary, 'failureReason'>): Explanation {
  return (
    GIVEN_UP[failureReason ?? ''] ?? {
      what: failureReason === null ? 'It was given up.' : `It was given up: ${failureReason}.`,
      todo: 'Read below what happened, then resend it.',
    }
  );
}

const NO_RESPONSE: Record<string, Explanation> = {
  'address-blocked': BLOCKED,
  'bad-url': BAD_URL,
  dns: { what: 'The name of the host cannot be resolved.', todo: 'Is the host name right, and its DNS record there?' },
  connect: { what: 'No connection came about.', todo: 'Is the receiver running, and does its firewall let us in?' },
  tls: {
    what: 'The connection could not be secured.',
    todo: 'Is its certificate valid, for this name, with all intermediates?',
  },
  timeout: {
    what: 'There was no complete answer within the time that a receiver has.',
    todo: 'It should store the message and answer at once, and do its work afterwards.',
  },
  reset: { what: 'The connection broke off.', todo: 'Its log should say why it closed the connection.' },
  'too-large': { what: 'The answer was too large.', todo: 'An empty answer is enough.' },
  'invalid-response': { what: 'The answer was no valid HTTP.', todo: 'Is it a web server that listens there?' },
  aborted: { what: 'It was broken off on our side.', todo: 'Nothing: it is made again.' },
};

const ANSWERED: Record<number, string> = {
  401: 'The receiver asks for credentials. It should check the signature instead.',
  403: 'The receiver, or a firewall in front of it, lets nobody in.',
  404: 'There is nothing at this path. Is the URL right?',
  405: 'There is something else at this path: messages come as POST.',
  410: 'The receiver wants no more messages: its endpoint was disabled.',
  429: 'It is more than the receiver can take. Set a rate on the page of the endpoint.',
};

/** null when the attempt succeeded or is running. */
export function whyFailed({ status, failure }: Pick<Api.Attempt, 'status' | 'failure'>): Explanation | null {
  if (failure !== null) return NO_RESPONSE[failure] ?? { what: `It failed: ${failure}.`, todo: 'Try it again.' };
  if (status === null || (status >= 200 && status < 300)) return null;
  if (status >= 300 && status < 400) {
    return {
      what: `The receiver answered ${status}, a redirect. They are not followed.`,
      todo: 'Its application has to subscribe with the URL that it leads to.',
    };
  }
  return {
    what: `The receiver answered ${status}.`,
    todo:
      ANSWERED[status] ??
      (status >= 500 ? 'It failed in its own work: its log should say why.' : 'Its answer below should say why.'),
  };
}
