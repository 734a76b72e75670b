/** Judges where applications want their messages. */
export abstract class EndpointUrls {
  /**
   * Every attempt is judged anew.
   * @param field the name that the caller knows the URL by
   * @throws DomainError ValidationFailed, ServerNotAllowed
   */
  abstract judge(url: string, field: string): Promise<void>;
}
