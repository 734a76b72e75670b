import type {
  CreatedWebhookEndpoint,
  DeliveryAttempt,
  Success,
  WebhookEndpoint,
  WebhookEndpointPage,
  WebhookMessage,
  WebhookMessagePage,
} from '../generated/types.gen.js';
import type { Answer, Body, Call, Options, Params } from '../operation.js';
import { itemsOf, pagesOf } from '../pages.js';

type List = Params<'listWebhookEndpoints'>;
type ListOptions = Options<'listWebhookEndpoints'>;
type Messages = Params<'listWebhookMessages'>;
type MessagesOptions = Options<'listWebhookMessages'>;

/** Where messages go, and how that goes. A calendar subscription is an endpoint too: its id is the `endpointId`. */
export class WebhookEndpoints {
  constructor(private readonly call: Call) {}

  list(params: List = {}, options?: ListOptions): Promise<WebhookEndpointPage> {
    return this.call('listWebhookEndpoints', { params }, options);
  }

  pages(
    params: Omit<List, 'pageToken'> = {},
    options?: ListOptions,
  ): AsyncGenerator<WebhookEndpointPage, void, undefined> {
    return pagesOf((pageToken) => this.list({ ...params, pageToken }, options));
  }

  listAll(
    params: Omit<List, 'pageToken'> = {},
    options?: ListOptions,
  ): AsyncGenerator<WebhookEndpoint, void, undefined> {
    return itemsOf(this.pages(params, options));
  }

  get(params: Params<'getWebhookEndpoint'>, options?: Options<'getWebhookEndpoint'>): Promise<WebhookEndpoint> {
    return this.call('getWebhookEndpoint', { params }, options);
  }

  /** The answer has the secret that messages are signed with: it is shown this once. */
  create(
    body: Body<'createWebhookEndpoint'>,
    options?: Options<'createWebhookEndpoint'>,
  ): Promise<CreatedWebhookEndpoint> {
    return this.call('createWebhookEndpoint', { body }, options);
  }

  update(
    params: Params<'updateWebhookEndpoint'>,
    body: Body<'updateWebhookEndpoint'>,
    options?: Options<'updateWebhookEndpoint'>,
  ): Promise<WebhookEndpoint> {
    return this.call('updateWebhookEndpoint', { params, body }, options);
  }

  delete(params: Params<'deleteWebhookEndpoint'>, options?: Options<'deleteWebhookEndpoint'>): Promise<Success> {
    return this.call('deleteWebhookEndpoint', { params }, options);
  }

  /** Lets messages go to an endpoint that was disabled. */
  enable(
    params: Params<'enableWebhookEndpoint'>,
    options?: Options<'enableWebhookEndpoint'>,
  ): Promise<WebhookEndpoint> {
    return this.call('enableWebhookEndpoint', { params }, options);
  }

  /** The replaced secret signs on beside the new one for a while: give `verifyWebhook` both. */
  rotateSecret(
    params: Params<'rotateEndpointSecret'>,
    body: Body<'rotateEndpointSecret'> = {},
    options?: Options<'rotateEndpointSecret'>,
  ): Promise<Answer<'rotateEndpointSecret'>> {
    return this.call('rotateEndpointSecret', { params, body }, options);
  }

  /** Sends a `webhook.test`. */
  test(params: Params<'sendTestMessage'>, options?: Options<'sendTestMessage'>): Promise<Answer<'sendTestMessage'>> {
    return this.call('sendTestMessage', { params }, options);
  }

  /** One page of what was sent to it, newest first. */
  messages(params: Messages, options?: MessagesOptions): Promise<WebhookMessagePage> {
    return this.call('listWebhookMessages', { params }, options);
  }

  messagePages(
    params: Omit<Messages, 'pageToken'>,
    options?: MessagesOptions,
  ): AsyncGenerator<WebhookMessagePage, void, undefined> {
    return pagesOf((pageToken) => this.messages({ ...params, pageToken }, options));
  }

  allMessages(
    params: Omit<Messages, 'pageToken'>,
    options?: MessagesOptions,
  ): AsyncGenerator<WebhookMessage, void, undefined> {
    return itemsOf(this.messagePages(params, options));
  }

  /** How often a message was tried, and what came of it. */
  async attempts(
    params: Params<'listDeliveryAttempts'>,
    options?: Options<'listDeliveryAttempts'>,
  ): Promise<DeliveryAttempt[]> {
    return (await this.call('listDeliveryAttempts', { params }, options)).data;
  }

  /** Sends a message again, under the same id. */
  resend(params: Params<'resendWebhookMessage'>, options?: Options<'resendWebhookMessage'>): Promise<Success> {
    return this.call('resendWebhookMessage', { params }, options);
  }

  /** Sends all that failed since a time again. */
  recover(
    params: Params<'recoverMessages'>,
    body: Body<'recoverMessages'>,
    options?: Options<'recoverMessages'>,
  ): Promise<Answer<'recoverMessages'>> {
    return this.call('recoverMessages', { params, body }, options);
  }
}
