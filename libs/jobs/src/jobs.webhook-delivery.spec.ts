import { InvalidJobPayload, MESSAGES_PER_JOB, webhookDelivery } from './jobs.js';

const message = { id: '0197a000-0000-7000-8000-000000000001', endpointId: '0197a000-0000-7000-8000-000000000002' };

describe('webhookDelivery', () => {
  it('takes messages with their endpoints, and nothing beside them', () => {
    expect(webhookDelivery.parse({ messages: [{ ...message, more: 1 }], more: 1 })).toEqual({ messages: [message] });
  });

  it.each([
    [null],
    [[]],
    [{}],
    [{ messages: [] }],
    [{ messages: 'text' }],
    [{ messages: [null] }],
    [{ messages: [{ id: message.id }] }],
    [{ messages: [{ ...message, id: "' or 1=1" }] }],
    [{ messages: Array.from({ length: MESSAGES_PER_JOB + 1 }, () => message) }],
  ])('F8 refuses %j', (data) => {
    expect(() => webhookDelivery.parse(data)).toThrow(InvalidJobPayload);
  });

  it('is repeated a few times within seconds, and kept within bounds', () => {
    expect(webhookDelivery.options).toEqual({
      attempts: 5,
      backoff: { type: 'exponential', delay: 500, jitter: 0.5 },
      removeOnComplete: true,
      removeOnFail: { age: 604_800, count: 1_000 },
    });
  });
});
