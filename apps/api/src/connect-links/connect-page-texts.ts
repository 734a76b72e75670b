import type { ErrorCode } from '#domain/system';
import type { ConnectField, PageLanguage } from '#providers';

export interface PageTexts {
  title(application: string): string;
  choose: string;
  connect: string;
  connecting: string;
  cancel: string;
  back: string;
  openHelp: string;
  /** Said of passwords and of secret addresses. */
  privacy(application: string): string;
  /** Said where the user entered no address. */
  unreachable: string;
  errors: PageErrors;
}

/** Errors that the user can do something about, which are shown in the form. Others are a page of their own. */
type PageErrorCode = Extract<
  ErrorCode,
  | 'CredentialsRejected'
  | 'ServerNotAllowed'
  | 'ProviderUnavailable'
  | 'ProviderRejected'
  | 'ProviderTimeout'
  | 'ProviderRateLimited'
  | 'RateLimited'
>;

type PageErrors = Record<PageErrorCode, string> & {
  /** A field that the form marks as wrong. */
  field: Record<ConnectField, string>;
};

export const PAGE_TEXTS: Record<PageLanguage, PageTexts> = {
  en: {
    title: (application) => `Connect your calendar to ${application}`,
    choose: 'Where is your calendar?',
    connect: 'Connect',
    connecting: 'Connecting…',
    cancel: 'Cancel',
    back: 'Another provider',
    openHelp: 'Open in a new tab',
    privacy: (application) =>
      `What you enter is stored encrypted by this service. ${application} gets access to the calendar, and never sees what you entered.`,
    unreachable: 'The calendar server could not be reached. Try again in a few minutes.',
    errors: {
      CredentialsRejected: 'The user name or the password is wrong.',
      ServerNotAllowed: 'This address cannot be used. It must be a public https address.',
      ProviderUnavailable: 'No calendar server answers at this address. Check the address, or try again later.',
      ProviderRejected: 'The calendar server refused the connection. Try again later.',
      ProviderTimeout: 'The calendar server did not answer in time. Try again.',
      ProviderRateLimited: 'The calendar server takes no more requests at the moment. Try again in a few minutes.',
      RateLimited: 'Too many attempts. Try again in a few minutes.',
      field: {
        serverUrl: 'Enter the address of the calendar server.',
        email: 'Enter the user name or the email.',
        password: 'Enter the password.',
        url: 'Enter the address of a calendar feed.',
        name: 'Enter a shorter name.',
      },
    },
  },
  de: {
    title: (application) => `Verbinden Sie Ihren Kalender mit ${application}`,
    choose: 'Wo liegt Ihr Kalender?',
    connect: 'Verbinden',
    connecting: 'Wird verbunden …',
    cancel: 'Abbrechen',
    back: 'Anderer Anbieter',
    openHelp: 'In neuem Tab öffnen',
    privacy: (application) =>
      `Dieser Dienst speichert Ihre Angaben verschlüsselt. ${application} erhält Zugriff auf den Kalender und sieht sie nie.`,
    unreachable: 'Der Kalenderserver war nicht erreichbar. Versuchen Sie es in einigen Minuten erneut.',
    errors: {
      CredentialsRejected: 'Der Benutzername oder das Passwort ist falsch.',
      ServerNotAllowed: 'Diese Adresse ist nicht verwendbar. Es muss eine öffentliche https-Adresse sein.',
      ProviderUnavailable:
        'Unter dieser Adresse antwortet kein Kalenderserver. Prüfen Sie die Adresse oder versuchen Sie es später erneut.',
      ProviderRejected: 'Der Kalenderserver hat die Verbindung abgelehnt. Versuchen Sie es später erneut.',
      ProviderTimeout: 'Der Kalenderserver hat nicht rechtzeitig geantwortet. Versuchen Sie es erneut.',
      ProviderRateLimited:
        'Der Kalenderserver nimmt gerade keine Anfragen an. Versuchen Sie es in einigen Minuten erneut.',
      RateLimited: 'Zu viele Versuche. Versuchen Sie es in einigen Minuten erneut.',
      field: {
        serverUrl: 'Geben Sie die Adresse des Kalenderservers ein.',
        email: 'Geben Sie den Benutzernamen oder die E-Mail-Adresse ein.',
        password: 'Geben Sie das Passwort ein.',
        url: 'Geben Sie die Adresse eines Kalender-Feeds ein.',
        name: 'Geben Sie einen kürzeren Namen ein.',
      },
    },
  },
};

export function isPageError(code: ErrorCode): code is PageErrorCode {
  return code in PAGE_TEXTS.en.errors;
}
